// covers: src/kernel, src/tools, src/runtime
import assert from "node:assert/strict";
import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { addLines } from "../support/editing-agent.ts";
import { call, obedientModel } from "../support/obedient-model.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { tempHome } from "../support/temp-home.ts";

interface Family extends AsyncDisposable {
  readonly folder: string;
  readonly parent: Session;
  readonly children: readonly [Session, Session];
  text(name: string): Promise<string>;
  put(name: string, text: string): Promise<void>;
}

async function family(): Promise<Family> {
  const home = await tempHome();
  const runtime = await runtimeRig({
    folder: home.path,
    model: obedientModel(),
    settings: { "approvals.mode": "off" },
  });
  const parent = await runtime.openSession({ source: "test" });
  const child = () => runtime.openSession({ source: "subagent", parent: parent.id, childPlace: { kind: "own" } });
  const children = [await child(), await child()] as const;
  return {
    folder: home.path,
    parent,
    children,
    text: (name) => readFile(join(home.path, name), "utf8"),
    put: (name, text) => writeFile(join(home.path, name), text),
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("a write is refused with a diff if another agent changed the file since it was read, by every write tool", async () => {
  await using at = await family();
  const [one, two] = at.children;
  await at.put("a.txt", "1\n2\n3\n");
  for (const [tool, args] of [
    ["write_file", { path: "a.txt", content: "mine\n" }],
    ["patch", { path: "a.txt", old_string: "1", new_string: "mine" }],
    ["patch", { patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+mine\n*** End Patch" }],
    ["patch", { patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch" }],
    ["patch", { patch: "*** Begin Patch\n*** Move File: a.txt -> b.txt\n*** End Patch" }],
  ] as const) {
    await call(one, "read_file", { path: "a.txt" });
    await call(two, "read_file", { path: "a.txt" });
    const before = await at.text("a.txt");
    await call(two, "write_file", { path: "a.txt", content: `${before}theirs\n` });
    const answer = await call(one, tool, args);
    assert.match(answer, /changed since you last saw it.*\+theirs/su);
    assert.equal(await at.text("a.txt"), `${before}theirs\n`);
  }
});

test("a command of another agent that changes a file counts as a change", async () => {
  await using at = await family();
  const [one, two] = at.children;
  await at.put("a.txt", "1\n");
  await call(one, "read_file", { path: "a.txt" });
  await call(two, "terminal", { command: "echo theirs >> a.txt" });
  assert.match(await call(one, "write_file", { path: "a.txt", content: "mine\n" }), /\+theirs/u);
  await call(two, "terminal", { command: "echo theirs > new.txt" });
  assert.match(
    await call(one, "write_file", { path: "new.txt", content: "mine\n" }),
    /you have not read it.*\+theirs/su,
  );
  assert.equal(await at.text("new.txt"), "theirs\n");
});

test("a file that appeared or changed since the session started is not replaced or deleted unread", async () => {
  await using at = await family();
  const [one, two] = at.children;
  await call(one, "terminal", { command: "ls" });
  await call(two, "write_file", { path: "new.txt", content: "theirs\n" });
  assert.match(
    await call(one, "write_file", { path: "new.txt", content: "mine\n" }),
    /you have not read it.*\+theirs/su,
  );
  const deletion = "*** Begin Patch\n*** Delete File: new.txt\n*** End Patch";
  assert.match(await call(one, "patch", { patch: deletion }), /you have not read it/u);
  const addition = "*** Begin Patch\n*** Add File: new.txt\n+mine\n*** End Patch";
  assert.match(await call(one, "patch", { patch: addition }), /Nothing was changed/u);
  assert.equal(await at.text("new.txt"), "theirs\n");
  await call(one, "patch", { path: "new.txt", old_string: "theirs", new_string: "theirs and mine" });
  assert.equal(await at.text("new.txt"), "theirs and mine\n", "a replacement keeps the rest, and needs no read");
});

test("a file older than the session can be replaced unread, with a warning", async () => {
  await using home = await tempHome();
  await writeFile(join(home.path, "old.txt"), "old\n");
  const clock = { ...systemClock, now: () => systemClock.now() + 60_000 };
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel(), clock });
  const session = await runtime.openSession({ source: "test" });
  assert.match(await call(session, "write_file", { path: "old.txt", content: "new\n" }), /had not read/u);
});

test("reading part of a changed file does not allow replacing all of it", async () => {
  await using at = await family();
  const [one, two] = at.children;
  await at.put("a.txt", "1\n2\n3\n4\n");
  await call(one, "read_file", { path: "a.txt" });
  await call(two, "patch", { path: "a.txt", old_string: "4", new_string: "theirs" });
  await call(one, "read_file", { path: "a.txt", limit: 2 });
  const content = "1\n2\n3\n4\nmine\n";
  assert.match(await call(one, "write_file", { path: "a.txt", content }), /only a part of it since.*\+theirs/su);
  await call(one, "patch", { path: "a.txt", old_string: "1", new_string: "one" });
  assert.equal(await at.text("a.txt"), "one\n2\n3\ntheirs\n");
});

test("reading all pages of a changed file allows replacing it", async () => {
  await using at = await family();
  const [one] = at.children;
  await at.put("a.txt", "1\n2\n3\n4\n");
  await call(one, "read_file", { path: "a.txt" });
  await appendFile(join(at.folder, "a.txt"), "5\n");
  await call(one, "read_file", { path: "a.txt", limit: 3 });
  await call(one, "read_file", { path: "a.txt", offset: 4 });
  await call(one, "write_file", { path: "a.txt", content: "all\n" });
  assert.equal(await at.text("a.txt"), "all\n");
});

test("a file that another agent deleted is recreated only when the call is repeated", async () => {
  await using at = await family();
  const [one] = at.children;
  await at.put("a.txt", "1\n");
  await call(one, "read_file", { path: "a.txt" });
  await rm(join(at.folder, "a.txt"));
  const args = { path: "a.txt", content: "2\n" };
  assert.match(await call(one, "write_file", args), /was deleted or moved.*-1/su);
  await assert.rejects(at.text("a.txt"), /ENOENT/u);
  await call(one, "write_file", args);
  assert.equal(await at.text("a.txt"), "2\n");
});

test("a resumed session does not replace unread files that others changed while it was closed", async () => {
  await using home = await tempHome();
  const options = { folder: home.path, model: obedientModel() };
  await writeFile(join(home.path, "a.txt"), "1\n");
  const first = await runtimeRig(options);
  const { id } = await first.openSession({ source: "test" }).then(async (session) => {
    await call(session, "read_file", { path: "a.txt" });
    return session;
  });
  await first[Symbol.asyncDispose]();
  await writeFile(join(home.path, "a.txt"), "theirs\n");
  await using second = await runtimeRig(options);
  const resumed = await second.openSession({ source: "test", resume: id });
  assert.match(await call(resumed, "write_file", { path: "a.txt", content: "mine\n" }), /\+theirs/u);
});

test("if agents create the same file concurrently, one succeeds and the others are refused", async () => {
  await using at = await family();
  const agents = [at.parent, ...at.children];
  for (let round = 0; round < 3; round++) {
    const path = `new-${round}.txt`;
    const answers = await Promise.all(
      agents.map((agent, index) => call(agent, "write_file", { path, content: `from ${index}\n` })),
    );
    const writers = answers.flatMap((answer, index) => (answer.includes("bytes_written") ? [index] : []));
    assert.equal(writers.length, 1, answers.join("\n"));
    assert.equal(await at.text(path), `from ${writers[0]}\n`);
  }
});

test("children and other programs that edit the same files lose no line", async () => {
  await using home = await tempHome();
  const files = ["a.txt", "b.txt"];
  for (const file of files) await writeFile(join(home.path, file), "begin\nend\n");
  const names = ["x", "y"];
  const rounds = 3;
  const programs = names.map((name) => inChild(join(import.meta.dirname, "..", "support"), program, [home.path, name]));
  await runAll(programs, async () => {
    await using runtime = await runtimeRig({ folder: home.path, model: obedientModel() });
    const parent = await runtime.openSession({ source: "test" });
    const child = () => runtime.openSession({ source: "subagent", parent: parent.id, childPlace: { kind: "own" } });
    const agents = { parent, one: await child(), two: await child() };
    await Promise.all(
      Object.entries(agents).map(([name, session]) => addLines(session, { name, rounds, files, folder: home.path })),
    );
    for (const { ended } of programs) assert.equal((await ended).code, 0);
  });
  const expected = ["parent", "one", "two", ...names].flatMap((name) =>
    Array.from({ length: rounds }, (_, round) => `${name}-${round}`),
  );
  for (const file of files) {
    const lines = (await readFile(join(home.path, file), "utf8")).split("\n").slice(1, -2);
    assert.deepEqual(lines.toSorted(), expected.toSorted(), file);
  }
});

const program = `
  import { addLines } from "./editing-agent.ts";
  import { obedientModel } from "./obedient-model.ts";
  import { runtimeRig } from "./runtime-rig.ts";
  const [folder, name] = process.argv.slice(1);
  await using runtime = await runtimeRig({ folder, model: obedientModel() });
  const session = await runtime.openSession({ source: "test" });
  await addLines(session, { name, rounds: 3, files: ["a.txt", "b.txt"], folder });
`;
