// covers: src/store, src/kernel, src/runtime
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { ApprovalSurface } from "../../src/contracts/safety/approval.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const support = join(import.meta.dirname, "..", "support");

/** Two background processes, one of which ends when a file `go` exists; a grant for the session; then it hangs. */
const program = `
  import { writeSync } from "node:fs";
  import { runtimeRig } from "./runtime-rig.ts";
  import { scriptedModel } from "./scripted-model.ts";
  const [folder] = process.argv.slice(1);
  const background = (command) => ({ calls: [{ name: "terminal", args: { command, background: true } }] });
  const model = scriptedModel([
    background("sleep 60"),
    background("until [ -e go ]; do sleep 0.1; done; echo over"),
    { calls: [{ name: "terminal", args: { command: "rm -rf build" } }] },
    { text: "ready", hangs: true },
  ]);
  const runtime = await runtimeRig({ folder, model });
  const session = await runtime.openSession({ source: "test" });
  session.approvals.attach({ name: "test", ask: async () => ({ scope: "session" }) });
  session.prompt([{ type: "text", text: "do it" }]);
  for await (const event of session.events(0)) if (event.type === "text.delta") writeSync(1, event.delta + "\\n");`;

/** A turn that waits for an approval that never comes. */
const asking = `
  import { writeSync } from "node:fs";
  import { runtimeRig } from "./runtime-rig.ts";
  import { scriptedModel } from "./scripted-model.ts";
  const [folder] = process.argv.slice(1);
  const model = scriptedModel([{ calls: [{ id: "asked", name: "terminal", args: { command: "rm -rf build" } }] }]);
  const runtime = await runtimeRig({ folder, model });
  const session = await runtime.openSession({ source: "test" });
  session.approvals.attach({ name: "test", ask: () => {
    writeSync(1, "ready\\n");
    return new Promise(() => setInterval(() => {}, 1000));
  } });
  session.prompt([{ type: "text", text: "do it" }]);
  for await (const event of session.events(0)) if (event.type === "turn.finished") break;`;

/** Runs it until it prints "ready", and kills it. */
async function kill(program: string, folder: string): Promise<void> {
  const child = inChild(support, program, [folder]);
  let output = "";
  child.process.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await runAll([child], () =>
    eventually(() => {
      assert.equal(child.process.exitCode, null, `the program ended: ${output}`);
      return output.includes("ready");
    }),
  );
}

/** The first notice that begins with these words. */
async function notice(session: Session, begin: string): Promise<string> {
  for await (const event of session.events(0))
    if (event.type === "notice" && event.text.startsWith(begin)) return event.text;
  return "";
}

test("after kill -9, a resumed session has its background processes and its grants", async () => {
  await using home = await tempHome();
  const build = join(home.path, "build");
  await mkdir(build);
  await kill(program, home.path);
  assert.ok(!existsSync(build));
  await mkdir(build);

  const script = [
    { calls: [{ name: "process", args: { action: "list" } }] },
    { calls: [{ name: "terminal", args: { command: "rm -rf build" } }] },
    { calls: [{ name: "terminal", args: { command: "rm -rf other" } }] },
  ];
  const model = scriptedModel((_, index) => script[index] ?? { text: "done" });
  await using runtime = await runtimeRig({ folder: home.path, model });
  const match = await runtime.sessions.find("latest", localPrincipal());
  assert.ok(match.ok);
  await using session = await runtime.openSession({ source: "test", resume: match.value.id });
  assert.match(
    await notice(session, "Background"),
    /^Background processes of this session still run: proc_\w+(?:, proc_\w+)?$/u,
  );
  assert.match(
    await notice(session, "Still allowed"),
    /^Still allowed from before: .*rm -rf build.* \(\/approvals shows and revokes it\)\.$/u,
  );
  const outcome = await session.prompt([{ type: "text", text: "go on" }]).done;
  assert.equal(outcome.text, "done");
  const results = session.history().flatMap((message) => (message.role === "tool" ? [JSON.stringify(message)] : []));
  assert.match(results.at(-3) ?? "", /sleep 60/u);
  assert.ok(!existsSync(build), results.at(-2));
  assert.match(results.at(-1) ?? "", /denied|nobody/iu);
  await writeFile(join(home.path, "go"), "");
  const reported = () => /Background process proc_\w+ has ended/u.test(JSON.stringify(session.history()));
  for (let requestCount = 0; requestCount < 600 && !reported(); requestCount++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await session.prompt([{ type: "text", text: "and now?" }]).done;
  }
  assert.ok(reported(), "the end of the process was not reported");
  assert.equal(await session.stopProcesses(new AbortController().signal), 1);
});

test("a call that was waiting for approval when the program was killed did not run and asks again after a resume", async () => {
  await using home = await tempHome();
  const build = join(home.path, "build");
  await mkdir(build);
  await kill(asking, home.path);
  const again = { calls: [{ id: "again", name: "terminal", args: { command: "rm -rf build" } }] };
  const model = scriptedModel((_, index) => [again][index] ?? { text: "done" });
  await using runtime = await runtimeRig({ folder: home.path, model });
  assert.deepEqual(await runtime.approvals.pending(localPrincipal()), []);
  const requests: unknown[] = [];
  const person: ApprovalSurface = {
    name: "test",
    ask: async (question) => {
      requests.push(question);
      return { scope: "once" };
    },
  };
  using _person = runtime.approvals.attach(person, { principal: localPrincipal() });
  const match = await runtime.sessions.find("latest", localPrincipal());
  assert.ok(match.ok);
  await using session = await runtime.openSession({ source: "test", resume: match.value.id });
  assert.ok(existsSync(build));
  assert.equal((await session.prompt([{ type: "text", text: "go on" }]).done).text, "done");
  const first = model.requests[0]?.messages.find((message) => message.role === "tool");
  assert.match(JSON.stringify(first), /"callId":"asked".*was not run/u);
  assert.equal(requests.length, 1);
  assert.ok(!existsSync(build));
});
