import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { sha256 } from "../../src/base/digest.ts";
import type { AgentEvent } from "../../src/contracts/event.ts";
import type { Runtime, Session } from "../../src/contracts/runtime.ts";
import { createHttp } from "../../src/providers/wire/http.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { tempHome } from "../support/temp-home.ts";
import { wireModel } from "../support/wire-model.ts";
import { type ModelServer, startModelServer } from "../support/wire-servers/model-server.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

const notes = `## Goal\nThree tasks, one after another.\n## Done\n1. The first task: counted everything, and it was right.`;
const firstTask = "First task: count to three thousand.";
const secondTask = 'Second task: mend the gate in src/gate.ts, "as discussed",\nand keep ünïcödé as it is. 🚪';
const steer = "And mind the hinge.";

interface Scene extends AsyncDisposable {
  readonly runtime: Runtime;
  readonly session: Session;
  readonly server: ModelServer;
  /** Bodies of the requests that carry tools, as they went over the wire. */
  chats(): readonly string[];
  summaries(): readonly string[];
  ask(text: string): Promise<readonly AgentEvent[]>;
}

/** A whole runtime and a model over the wire: `script` answers the conversation, `summarise` the questions beside it. */
async function scene(
  script: readonly (ScriptedTurn | (() => ScriptedTurn))[],
  summarise: ScriptedTurn,
): Promise<Scene> {
  const stack = new AsyncDisposableStack();
  const home = stack.use(await tempHome());
  const cwd = join(home.path, "project");
  await mkdir(join(cwd, "src"), { recursive: true });
  for (const name of ["one", "two"]) {
    await writeFile(
      join(cwd, `${name}.txt`),
      `${`line of file ${name} with some words in it\n`.repeat(300)}the end of ${name}\n`,
    );
  }
  let at = 0;
  const server = stack.use(
    await startModelServer({
      protocol: "openai-chat",
      turns: ({ json }) => ({
        usage: "none",
        ...("tools" in json ? played(script[at++]) : summarise),
      }),
    }),
  );
  const http = stack.adopt(createHttp({ clock: systemClock }), (opened) => opened[Symbol.dispose]());
  const model = wireModel({ providerId: "scripted", protocol: "openai-chat", baseUrl: server.url, key: "k" }, http);
  const settings = { "compression.threshold_tokens": 20_000, "compression.context_timeout": 5 };
  const runtime = stack.use(await runtimeRig({ folder: home.path, cwd, model, settings }));
  const session = stack.use(await runtime.openSession({ source: "test" }));
  const bodies = (isChat: boolean) =>
    server.requests.filter(({ json }) => "tools" in json === isChat).map(({ body }) => body.toString("utf8"));
  return {
    runtime,
    session,
    server,
    chats: () => bodies(true),
    summaries: () => bodies(false),
    async ask(text) {
      const turn = session.prompt([{ type: "text", text }]);
      const seen: AgentEvent[] = [];
      for await (const event of turn.events()) seen.push(event);
      return seen;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function played(turn: ScriptedTurn | (() => ScriptedTurn) = { text: "There is nothing more to say." }): ScriptedTurn {
  return typeof turn === "function" ? turn() : turn;
}

const call = (name: string, args: Record<string, string | boolean | object[]>): ScriptedTurn => ({
  calls: [{ name, args: args as never }],
});
const todos = [
  { id: "1", content: "look at the gate", status: "completed" },
  { id: "2", content: 'mend the "gate"', status: "in_progress" },
  { id: "3", content: "paint it green", status: "pending" },
];
const first: readonly ScriptedTurn[] = [
  call("terminal", { command: "seq 1 3000" }),
  { text: `The first task is done. ${"It went well, number by number, and nothing was left out. ".repeat(300)}` },
];
const second: readonly ScriptedTurn[] = [
  call("todo", { todos }),
  call("write_file", { path: "src/gate.ts", content: "export const gate = 'open';\n" }),
  call("terminal", { command: "sleep 300", background: true }),
  call("read_file", { path: "one.txt" }),
  call("read_file", { path: "two.txt" }),
];

test("in the middle of the second of three tasks the context is shortened, and the task goes on", async () => {
  await using at = await scene(
    [...first, ...second, { text: "The gate is mended." }, { text: "All three are done." }],
    { text: notes },
  );
  await at.ask(firstTask);
  const asked = at.ask(secondTask);
  for await (const event of at.session.events()) {
    if (event.type === "tool.started" && event.name === "write_file") break;
  }
  at.session.steer([{ type: "text", text: steer }]);
  const events = await asked;

  const compacted = events.filter(({ type }) => type === "context.compacted");
  assert.equal(compacted.length, 1);
  assert.equal(at.summaries().length, 1);
  const seq = compacted[0]?.seq ?? 0;
  const before = events.filter((event) => event.type === "model.answered" && event.seq < seq).length + first.length;
  const next = at.chats()[before] ?? "";

  const within = (text: string) => JSON.stringify(text).slice(1, -1);
  const process = (await at.session.record()) && /proc_[0-9a-f]{12}/u.exec(next)?.[0];
  for (const kept of [
    secondTask,
    steer,
    '2 [in_progress] mend the "gate"',
    "3 [pending] paint it green",
    `${join((await at.session.record()).cwd ?? "", "src/gate.ts")} (written)`,
    `${process}: sleep 300`,
    "counted everything, and it was right",
    // The last result, whole or its two ends.
    "line of file two with some words in it",
    "the end of two",
  ]) {
    assert.ok(next.includes(within(kept)), kept);
  }
  assert.ok(!next.includes("number by number"), "what was summed up is not sent again");
  assert.ok(!next.includes("look at the gate"), "what is done is not among the open todos");
  assert.ok(!next.includes(within(firstTask)), "the first task is in the summary alone");
  // Rules and prompt are not part of what is shortened.
  const systemOf = (body: string) => body.slice(body.indexOf('{"role":"system"'), body.indexOf('{"role":"user"'));
  assert.equal(systemOf(next), systemOf(at.chats()[0] ?? ""));

  const done = await at.ask("Third task: say that all is done.");
  const finished = done.at(-1);
  assert.equal(finished?.type === "turn.finished" && finished.outcome.text, "All three are done.");
  assert.ok(at.chats().at(-1)?.includes("counted everything, and it was right"));
});

test("the originals can be read again by the model, and are all there for the person", async () => {
  let id = "";
  const script = [...first, ...second, { text: "The gate is mended." }];
  await using at = await scene([...script, () => call("read_back", { id }), { text: "Read." }], { text: notes });
  await at.ask(firstTask);
  const untouched = await at.runtime.sessions.path(at.session.id);
  await at.ask(secondTask);
  const path = await at.runtime.sessions.path(at.session.id);
  assert.ok(path.some(({ type }) => type === "compacted"));
  assert.deepEqual(path.slice(0, untouched.length), untouched);
  id = untouched.findLast(({ type }) => type === "message")?.id ?? "";
  assert.ok(at.chats().at(-1)?.includes("The messages themselves are "));
  await at.ask("Read it again.");
  const last = at.chats().at(-1) ?? "";
  assert.ok(last.includes(`[${id}: said by you]\\nThe first task is done. It went well, number by number`));
});

test("a summariser that is killed in the middle changes nothing", async () => {
  const hanging: ScriptedTurn = { text: notes, fault: { hangAfter: 40 } };
  await using at = await scene([...first, ...second], hanging);
  await at.ask(firstTask);
  const turn = at.session.prompt([{ type: "text", text: secondTask }]);
  let before = "";
  for await (const event of turn.events()) {
    if (event.type !== "context.compacting") continue;
    before = await digest(at);
    while (at.summaries().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    turn.abort("stopped by the person");
  }
  const startedAt = systemClock.elapsed();
  assert.equal((await turn.done).reason, "aborted");
  assert.ok(systemClock.elapsed() - startedAt < 200);
  assert.equal(await digest(at), before);
  assert.ok((await at.runtime.sessions.path(at.session.id)).every(({ type }) => type !== "compacted"));
});

test("a summariser whose connection breaks is replaced by a mechanical summary", async () => {
  const broken: ScriptedTurn = { text: notes, fault: { disconnectAfter: 40 } };
  await using at = await scene([...first, ...second, { text: "The gate is mended." }], broken);
  await at.ask(firstTask);
  const events = await at.ask(secondTask);
  assert.equal(events.filter(({ type }) => type === "context.compacted").length, 1);
  const last = at.chats().at(-1) ?? "";
  assert.ok(last.includes("Made without a model"));
  assert.ok(last.includes(JSON.stringify(secondTask).slice(1, -1)));
});

/** Of every entry and of every message that the model would be sent. */
async function digest({ runtime, session }: Scene): Promise<string> {
  const path = await runtime.sessions.path(session.id);
  return sha256(JSON.stringify([path.filter(({ type }) => type !== "usage"), session.history()]));
}
