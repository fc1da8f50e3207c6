import assert from "node:assert/strict";
import { test } from "node:test";

import { assertFails } from "../../../test/support/failure.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { memoryProcesses, type ScriptedProcess } from "../../../test/support/memory-processes.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { silentLog } from "../../base/log/log.ts";
import type { EnvironmentError, StartOptions } from "../../contracts/environment/environment.ts";
import { createInbox } from "../inbox.ts";
import { createProcessTable } from "./process-table.ts";

const sessionId = asId<SessionId>("ses_one");
const never = new AbortController().signal;
const defaults: StartOptions = { sessionId, keep: false, notifyOnComplete: false, watchPatterns: [] };

function setUp(refusal?: EnvironmentError) {
  const clock = fakeClock();
  const inbox = createInbox();
  const { environment, processes, add } = memoryProcesses(clock, refusal);
  const redactor = { redact: (text: string) => text.replaceAll("s3cret", "***") };
  const common = { clock, log: silentLog, program: "prg_1", principal: "anna" };
  const table = createProcessTable({ environment, inbox, redactor, ...common });
  return {
    clock,
    table,
    processes,
    add,
    async start(options: Partial<StartOptions> = {}, command = "serve"): Promise<ScriptedProcess> {
      const started = await table.start(command, { ...defaults, ...options }, never);
      assert.ok(started.ok);
      const process = processes.at(-1);
      assert.ok(process && process.id === started.value.id);
      return process;
    },
    /** Advances the clock in steps and runs due timers. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 500) {
        await settled();
        clock.advance(Math.min(500, ms - passed));
      }
      await settled();
    },
    /** Returns the messages that arrived since the last call. */
    async messages(session = sessionId): Promise<string[]> {
      await settled();
      return inbox
        .take(session)
        .flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : part.type)));
    },
  };
}

async function settled() {
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
}

const other = { program: "prg_0", session: "ses_zero", principal: "anna", isKept: true };

test("the table lists processes of the same user from any program, but not those of other users", async () => {
  const { table, start, add } = setUp();
  const old = add("old", { owner: other });
  add("secret", { owner: { ...other, principal: "ben" } });
  const mine = await start({ keep: true, cwd: "/there" });
  const listed = await table.list(never);
  assert.deepEqual(listed.ok && listed.value.map(({ id }) => id), [old.id, mine.id]);
  assert.deepEqual(
    [mine.owner, mine.cwd],
    [{ program: "prg_1", session: "ses_one", principal: "anna", isKept: true }, "/there"],
  );
});

test("a process can be looked up by its id or by an unambiguous prefix", async () => {
  const { table, start, add } = setUp();
  const nothing = await table.find("proc_abcd", never);
  assert.match(nothing.ok ? "" : nothing.error.message, /no background process "proc_abcd".*There are none. Start one/);
  const first = await start({}, "first");
  for (const id of [first.id, "proc_abcd", "abcd0", ` ${first.id} `]) {
    const match = await table.find(id, never);
    assert.equal(match.ok && match.value.id, first.id, id);
  }
  add("stranger", { owner: { ...other, principal: "ben" } });
  assert.ok((await table.find("abcd", never)).ok);
  const third = await start({}, "third\nline");
  const several = await table.find("proc_abcd", never);
  assert.equal(
    several.ok ? "" : several.error.message,
    `"proc_abcd" is the beginning of several: ${third.id} (third line), ${first.id} (first). Give more digits.`,
  );
  const short = await table.find("abc", never);
  assert.match(short.ok ? "" : short.error.message, /needs 4 digits or more\. There are: proc_/);
  assertFails(await table.find("", never), /There is no background process/u);
});

test("an unreachable backend is an error for list, find and start", async () => {
  const { table } = setUp({ kind: "unreachable", message: "no answer", hint: "Start it." });
  assertFails(await table.list(never), /unreachable.*no answer/u);
  assert.deepEqual(await table.find("abcd", never), { ok: false, error: { message: "no answer. Start it." } });
  assertFails(await table.start("x", defaults, never), /unreachable.*no answer/u);
});

// ── notifications about the end ─────────────────────────────────────────────────────────────────────────────────────

test("a session that requested it is notified once when a process ends", async () => {
  const { start, messages, pass } = setUp();
  const process = await start({ notifyOnComplete: true }, "make\nall");
  process.says(`${"x".repeat(5_000)}\n 10%\r100%\n\x1b[31mdone\x1b[0m\n`);
  await pass(60_000);
  assert.deepEqual(await messages(), []);
  assert.equal(process.reads, 0, "nobody reads what nobody watches");
  process.ends({ exitCode: 3 });
  const [text = "", ...more] = await messages();
  assert.deepEqual(more, []);
  assert.match(
    text,
    /^Background process proc_abcd00000000 has ended: exit code 3 \(reason: exited\)\.\nCommand: make all\n/,
  );
  assert.match(text, /x\n100%\ndone$/);
  assert.ok(text.length < 2_200);
  await pass(60_000);
  assert.deepEqual(await messages(), []);
});

test("messages to a session contain no secrets", async () => {
  const { start, messages, pass } = setUp();
  const process = await start({ watchPatterns: ["key"] }, "serve s3cret");
  process.says("key s3cret\n");
  await pass(2_000);
  const other = await start({ notifyOnComplete: true });
  other.says("s3cret");
  other.ends({});
  const texts = (await messages()).join("\n");
  assert.equal(texts.split("***").length, 4);
  assert.ok(!texts.includes("s3cret"));
});

for (const [ending, words] of [
  [{ how: "killed", signal: "SIGKILL" }, /ended by SIGKILL \(reason: killed\)/],
  [{ how: "lost" }, /its exit was not observed \(reason: lost\)/],
] as const) {
  test(`the message says how a process ended: ${ending.how}`, async () => {
    const { start, messages } = setUp();
    (await start({ notifyOnComplete: true })).ends(ending);
    assert.match((await messages()).join(), words);
  });
}

test("a session that already saw the process end, or waits for it, gets no message", async () => {
  const { table, start, messages } = setUp();
  const before = await start({ notifyOnComplete: true });
  table.noteEnd(before.id);
  before.ends({ exitCode: 0 });
  assert.deepEqual(await messages(), []);
  const after = await start({ notifyOnComplete: true });
  after.ends({ exitCode: 0 });
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  table.noteEnd(after.id);
  assert.deepEqual(await messages(), []);
  table.noteEnd("proc_unknown");
});

test("a session that did not request notifications gets no message", async () => {
  const { start, messages, clock } = setUp();
  (await start()).ends({ exitCode: 1 });
  assert.deepEqual([await messages(), clock.waiting], [[], 0]);
});

// ── watch patterns ──────────────────────────────────────────────────────────────────────────────────────────────────

test("matching lines are reported whole and once, even if they arrive in pieces", async () => {
  const { table, start, messages, pass } = setUp();
  const process = await start({ watchPatterns: ["ready", "[E]"] });
  process.says("noise\nserver re");
  await pass(2_000);
  process.says(Buffer.from("ady é").subarray(0, 5));
  await pass(2_000);
  assert.deepEqual(await messages(), []);
  process.says(Buffer.from([0xa9]));
  process.says(" on \x1b[1mport\x1b[0m 80\n[E] too\nnot E\n");
  await pass(2_000);
  assert.deepEqual(await messages(), [
    `Background process ${process.id} wrote what you watch for.\nCommand: serve\nserver ready é on port 80\n[E] too`,
  ]);
  assert.deepEqual(table.watching(process.id), { notifyOnComplete: false, patterns: ["ready", "[E]"], hits: 2 });
  await pass(20_000);
  process.ends({ exitCode: 0 });
  assert.deepEqual(await messages(), []);
});

test("a last line without a line end is matched too, and all output is read before the end is reported", async () => {
  const { start, messages, clock } = setUp();
  const process = await start({ watchPatterns: ["ready"] });
  process.says(`${"noise\n".repeat(2_000)}ready`);
  process.ends({ exitCode: 0 });
  assert.match((await messages()).join(), /\nready$/);
  assert.equal(clock.waiting, 0);
});

test("output is read by offset, and less often while the process prints nothing", async () => {
  const { start, pass } = setUp();
  const process = await start({ watchPatterns: ["ready"] });
  await pass(60_000);
  assert.ok(process.reads > 10 && process.reads < 130, `${process.reads} reads in a quiet minute`);
});

test("output after a dropped part is not joined to the line before it", async () => {
  const { start, messages, pass } = setUp();
  const process = await start({ watchPatterns: ["read", "y"] });
  process.says("re");
  await pass(2_000);
  process.says("x".repeat(5_000));
  process.drops(5_002);
  process.says("ad\n");
  await pass(2_000);
  assert.deepEqual(await messages(), []);
});

test("messages about one process are at least 15 s apart, and matches in between are counted", async () => {
  const { start, messages, pass } = setUp();
  const process = await start({ watchPatterns: ["hit"] });
  process.says("hit 1\n");
  await pass(2_000);
  assert.equal((await messages()).length, 1);
  process.says("hit 2\nhit 3\n");
  await pass(10_000);
  assert.deepEqual(await messages(), []);
  await pass(5_000);
  process.says("hit 4\n");
  await pass(2_000);
  assert.match((await messages()).join("|"), /^[^|]*\nhit 4\n\(2 more lines with it left out\)$/);
});

test("matches in three intervals in a row stop the watch, and afterwards only the end is reported", async () => {
  const { table, start, messages, pass } = setUp();
  const process = await start({ watchPatterns: ["hit"] });
  for (let second = 0; second < 60; second++) {
    process.says("hit\n");
    await pass(1_000);
  }
  const texts = await messages();
  assert.equal(texts.length, 4);
  assert.match(texts[3] ?? "", /no longer watched.*notified when it ends/);
  assert.deepEqual(table.watching(process.id)?.patterns, []);
  assert.equal(table.watching(process.id)?.notifyOnComplete, true);
  const { reads } = process;
  process.says("hit\n");
  await pass(30_000);
  assert.deepEqual([await messages(), process.reads], [[], reads]);
  process.ends({ exitCode: 0 });
  assert.match((await messages()).join(), /has ended: exit code 0/);
});

test("an interval without matches resets the count", async () => {
  const { table, start, messages, pass } = setUp();
  const process = await start({ watchPatterns: ["hit"] });
  for (let round = 0; round < 6; round++) {
    process.says("hit\n");
    await pass(2_000);
    if (round % 3 !== 2) process.says("hit\n");
    await pass(16_000);
  }
  assert.equal((await messages()).length, 6);
  assert.deepEqual(table.watching(process.id)?.patterns, ["hit"]);
});

test("a message has at most 20 lines and 2,000 characters", async () => {
  const { start, messages, pass } = setUp();
  const many = await start({ watchPatterns: ["hit"] });
  many.says("hit\n".repeat(30));
  await pass(2_000);
  const [first = ""] = await messages();
  assert.equal(first.split("\nhit").length - 1, 20);
  assert.match(first, /\(10 more lines with it left out\)$/);
  const long = await start({ watchPatterns: ["hit"] });
  long.says(`hit ${"x".repeat(10_000)}\n`);
  await pass(2_000);
  assert.ok((await messages()).join().length < 2_200);
});

test("when many processes report at once, messages stop for 30 s and are then summarised in one message", async () => {
  const { start, messages, pass } = setUp();
  const processes = [];
  for (let index = 0; index < 40; index++) processes.push(await start({ watchPatterns: ["hit"] }));
  for (const process of processes) process.says("hit\n");
  await pass(2_000);
  assert.equal((await messages()).length, 15);
  await pass(20_000);
  const late = await start({ watchPatterns: ["hit"] });
  late.says("hit\n");
  await pass(2_000);
  assert.deepEqual(await messages(), []);
  await pass(10_000);
  assert.match((await messages()).join("|"), /^[^|]*26 messages of the last 30 s were left out/);
  await pass(20_000);
  late.says("hit\n");
  await pass(2_000);
  assert.equal((await messages()).length, 1);
});

// ── closing ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test("closing the table kills the processes that this program started, except those to keep, and no others", async () => {
  const { table, start, add, messages } = setUp();
  const foreign = add("foreign", { owner: other });
  const mine = await start({ notifyOnComplete: true });
  const kept = await start({ keep: true });
  const done = await start();
  done.ends({ exitCode: 0 });
  assert.deepEqual(
    (await table.own(never)).map(({ id }) => id),
    [mine.id],
  );
  assert.deepEqual(
    (await table.endOwn(never)).map(({ handle }) => handle.id),
    [mine.id],
  );
  assert.equal((await mine.ending(never))?.how, "killed");
  assert.deepEqual(await messages(), []);
  const late = await start({ notifyOnComplete: true, watchPatterns: [] });
  await table[Symbol.asyncDispose]();
  await table[Symbol.asyncDispose]();
  assert.equal((await late.ending(never))?.how, "killed");
  for (const process of [foreign, kept]) assert.equal(await process.ending(never), undefined);
  assertFails(await table.start("x", defaults, never), /the program is being left/u);
  assert.deepEqual(await messages(), []);
});

test("closing the table stops all watching and does not wait for processes that do not end", async () => {
  const { table, start, clock, messages } = setUp();
  const stubborn = await start({ watchPatterns: ["hit"] });
  Object.assign(stubborn, { kill: () => new Promise(() => {}) });
  const leaving = table[Symbol.asyncDispose]();
  await settled();
  clock.advance(10_000);
  await leaving;
  stubborn.says("hit\n");
  stubborn.ends({});
  assert.deepEqual([await messages(), clock.waiting], [[], 0]);
});

test("a process that cannot be killed is reported with the reason", async () => {
  const { table, start } = setUp();
  const process = await start();
  Object.assign(process, { kill: async () => ({ ok: false, error: { message: "no way" } }) });
  assert.deepEqual(await table.endOwn(never), [{ handle: process, fault: "no way" }]);
});

test("thousands of ended processes do not accumulate in memory", async () => {
  const { table, start } = setUp();
  const first = await start();
  first.ends({});
  const running = await start();
  for (let index = 0; index < 300; index++) (await start()).ends({});
  assert.equal(table.watching(first.id), undefined);
  assert.notEqual(table.watching(running.id), undefined);
});
