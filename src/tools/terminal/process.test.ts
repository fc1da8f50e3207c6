import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { memoryKernels } from "../../../test/support/memory-kernels.ts";
import { memoryProcesses } from "../../../test/support/memory-processes.ts";
import { asId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log/log.ts";
import { err, ok } from "../../base/result.ts";
import type { EnvironmentError, ProcessTable, PtySize, Watching } from "../../contracts/environment/environment.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import tool from "./process.tool.ts";

function setUp(refusal?: EnvironmentError) {
  const clock = fakeClock();
  const memory = memoryProcesses(clock, refusal);
  const noted: string[] = [];
  const watching = new Map<string, Watching>();
  // A minimal process table with only the members that the tool uses; the real one is in the kernel.
  const processes = {
    list: (signal: AbortSignal) => memory.environment.processes(signal),
    async find(id: string) {
      const match = memory.processes.find((process) => process.id === id);
      return match ? ok(match) : err({ message: `There is no ${id}.` });
    },
    watching: (id: string) => watching.get(id),
    noteEnd: (id: string) => void noted.push(id),
  } as unknown as ProcessTable;

  const kernels = memoryKernels();
  async function call(args: JsonObject, signal = new AbortController().signal): Promise<ToolResult> {
    const prepared = await tool.prepare(args);
    if (!prepared.ok) return prepared;
    return prepared.value.run({
      sessionId: asId("ses_one"),
      callId: asId("call_test"),
      origin: "model",
      principal: { id: "test" },
      cwd: "/",
      effects: [],
      signal,
      clock,
      log: silentLog,
      secrets: {},
      progress() {},
      printed() {},
      processes,
      code: kernels.code,
      commandDefaults: {
        timeoutMs: 180_000,
        sudoPassword: async () => err({ reason: "nobody" }),
        forgetSudoPassword() {},
      },
    });
  }
  return {
    clock,
    noted,
    watching,
    kernels,
    processes: memory.processes,
    call,
    start(command = "serve", more: { pty?: PtySize; session?: string; isKept?: boolean } = {}) {
      const { pty, session = "ses_one", isKept = false } = more;
      const owner = { program: "prg", session, principal: "test", isKept };
      return memory.add(command, { owner, ...(pty && { pty }) });
    },
    async dataOf(args: JsonObject): Promise<JsonObject> {
      const result = await call(args);
      assert.ok(result.ok, JSON.stringify(result));
      return result.value.data as JsonObject;
    },
  };
}

const pty = { columns: 120, rows: 30 };

function messageOf(result: ToolResult): string {
  return result.ok ? "" : result.error.message;
}

// ── list and poll ───────────────────────────────────────────────────────────────────────────────────────────────────

test("list shows running processes first, then ended ones, newest first, with their details", async () => {
  const { start, dataOf, clock, watching } = setUp();
  const done = start("make\nall");
  done.says("one\ntwo\n");
  clock.advance(5_400);
  done.ends({ exitCode: 2 });
  start("old", { session: "ses_zero", isKept: true });
  const server = start("serve", { pty });
  watching.set(server.id, { notifyOnComplete: false, patterns: ["ready"], hits: 3 });
  clock.advance(60_000);
  const { processes, ...counts } = await dataOf({ action: "list" });
  assert.deepEqual(counts, { count: 3, running: 2 });
  const startedAt = "2025-01-01T00:00:05.400Z";
  assert.deepEqual(processes, [
    {
      session_id: "proc_abcd00000002",
      backend: "memory",
      command: "serve",
      status: "running",
      pid: 4_002,
      uptime_seconds: 60,
      cwd: "/here",
      started_at: startedAt,
      pty: true,
      watch_patterns: ["ready"],
      watch_hit: 3,
      output_preview: "",
    },
    {
      session_id: "proc_abcd00000001",
      backend: "memory",
      command: "old",
      status: "running",
      pid: 4_001,
      uptime_seconds: 60,
      cwd: "/here",
      started_at: startedAt,
      keep: true,
      other_session: true,
      output_preview: "",
    },
    {
      session_id: "proc_abcd00000000",
      backend: "memory",
      command: "make all",
      status: "exited",
      pid: 4_000,
      uptime_seconds: 5,
      exit_code: 2,
      completion_reason: "exited",
      termination_source: "itself",
      cwd: "/here",
      started_at: "2025-01-01T00:00:00.000Z",
      output_preview: "one\ntwo",
    },
  ]);
});

test("a long list is shortened with a note, and only the newest processes show their output", async () => {
  const { start, dataOf } = setUp();
  for (let index = 0; index < 250; index++) start("x".repeat(500));
  const { processes, note } = await dataOf({ action: "list" });
  assert.ok(Array.isArray(processes) && processes.length === 200);
  assert.equal(note, "50 more: give a higher limit.");
  const shown = processes as unknown as readonly JsonObject[];
  assert.equal(shown.filter((each) => "output_preview" in each).length, 20);
  assert.equal(words(shown[0]?.["command"]).length, 200);
});

test("an empty list is a result, and an unavailable backend is an error", async () => {
  assert.deepEqual(await setUp().dataOf({ action: "list" }), { count: 0, running: 0, processes: [] });
  const removed = await setUp({ kind: "unreachable", message: "no answer", hint: "Start it." }).call({
    action: "list",
  });
  assert.equal(messageOf(removed), "The background processes cannot be listed: no answer. Start it.");
});

test("poll shows the newest output in the same way as a terminal", async () => {
  const { start, dataOf, clock, noted } = setUp();
  const process = start();
  process.says(`${"x".repeat(3_000)}\n 10%\r 50%\r\x1b[32m100%\x1b[0m\n`);
  clock.advance(1_600);
  const data = await dataOf({ action: "poll", session_id: process.id });
  assert.deepEqual([data["status"], data["uptime_seconds"], noted], ["running", 2, []]);
  assert.equal(data["output_preview"], `${"x".repeat(995)}\n100%`);
});

for (const [ending, facts] of [
  [{ exitCode: 3 }, { exit_code: 3, completion_reason: "exited", termination_source: "itself" }],
  [
    { how: "exited", signal: "SIGSEGV" },
    { exit_code: 139, completion_reason: "exited", termination_source: "signal SIGSEGV", signal: "SIGSEGV" },
  ],
  [
    { how: "killed", signal: "SIGTERM" },
    { exit_code: 143, completion_reason: "killed", termination_source: "signal SIGTERM", signal: "SIGTERM" },
  ],
  [{ how: "lost" }, { exit_code: null, completion_reason: "lost", termination_source: "unknown" }],
] as const) {
  test(`poll reports an end (${JSON.stringify(ending)}) once`, async () => {
    const { start, dataOf, noted } = setUp();
    const process = start();
    process.ends(ending);
    const data = await dataOf({ action: "poll", session_id: process.id });
    assert.deepEqual({ ...data, ...facts }, data);
    assert.deepEqual([data["status"], noted], ["exited", [process.id]]);
  });
}

// ── log ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}\n`).join("");

test("log shows the last lines first, then pages by offset and limit", async () => {
  const { start, dataOf, noted } = setUp();
  const process = start();
  process.says(numbers(1_000));
  const input = { action: "log", session_id: process.id };
  const facts = { session_id: process.id, backend: "memory", status: "running" };
  const last = await dataOf(input);
  assert.deepEqual(
    [last["lines"], last["offset"], last["total_lines"], last["next_offset"]],
    [200, 800, 1_000, undefined],
  );
  assert.match(words(last["output"]), /^line 800\n.*\nline 999$/s);
  assert.deepEqual(await dataOf({ ...input, offset: 0, limit: 2 }), {
    ...facts,
    lines: 2,
    offset: 0,
    total_lines: 1_000,
    next_offset: 2,
    output: "line 0\nline 1",
  });
  assert.deepEqual(await dataOf({ ...input, offset: 998, limit: 5 }), {
    ...facts,
    lines: 2,
    offset: 998,
    total_lines: 1_000,
    output: "line 998\nline 999",
  });
  assert.deepEqual(await dataOf({ ...input, offset: 5_000 }), {
    ...facts,
    lines: 0,
    offset: 5_000,
    total_lines: 1_000,
    output: "",
  });
  assert.deepEqual(await dataOf({ ...input, limit: 1 }), {
    ...facts,
    lines: 1,
    offset: 999,
    total_lines: 1_000,
    output: "line 999",
  });
  assert.deepEqual(noted, []);
  process.ends({ exitCode: 0 });
  assert.equal((await dataOf(input))["exit_code"], 0);
  assert.deepEqual(noted, [process.id]);
});

test("the last lines of very long output are returned without reading all of it", async () => {
  const { start, dataOf } = setUp();
  const process = start();
  process.says(numbers(50_000));
  const data = await dataOf({ action: "log", session_id: process.id, limit: 3 });
  assert.deepEqual([data["output"], data["total_lines"]], ["line 49997\nline 49998\nline 49999", undefined]);
  assert.ok(process.reads < 100);
});

test("the log reports that the beginning of the output was dropped", async () => {
  const { start, dataOf } = setUp();
  const process = start();
  process.says("gone\nalso gone\nkept\nlast");
  process.drops(15);
  for (const offset of [{}, { offset: 0 }]) {
    const data = await dataOf({ action: "log", session_id: process.id, ...offset });
    assert.deepEqual([data["output"], data["total_lines"]], ["kept\nlast", 2]);
    assert.match(words(data["note"]), /^The first 15 bytes were dropped/);
  }
});

test("if lines are long, fewer than requested are shown, and an endless line is cut off", async () => {
  const { start, dataOf } = setUp();
  const process = start();
  process.says(`${"x".repeat(30_000)}\n${"y".repeat(30_000)}\nend`);
  const input = { action: "log", session_id: process.id };
  assert.deepEqual([(await dataOf(input))["lines"], (await dataOf(input))["offset"]], [2, 1]);
  const first = await dataOf({ ...input, offset: 0 });
  assert.deepEqual([first["lines"], first["next_offset"]], [1, 1]);
  assert.match(words(first["note"]), /lines are long/);
  const endless = start();
  endless.says("z".repeat(200_000));
  for (const offset of [{}, { offset: 0 }]) {
    assert.ok(words((await dataOf({ action: "log", session_id: endless.id, ...offset }))["output"]).length <= 40_000);
  }
});

test("binary output is described instead of shown", async () => {
  const { start, dataOf } = setUp();
  const process = start();
  process.says(Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 97) % 256)));
  for (const [action, key] of [
    ["poll", "output_preview"],
    ["log", "output"],
  ] as const) {
    assert.match(
      words((await dataOf({ action, session_id: process.id }))[key]),
      /^\[Binary output, \d+ characters of it\]$/,
    );
  }
});

// ── wait ────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("wait returns when the process has ended", async () => {
  const { start, call, noted } = setUp();
  const process = start();
  process.says("done\n");
  const waiting = call({ action: "wait", session_id: process.id });
  process.ends({ exitCode: 4 });
  const result = await waiting;
  assert.deepEqual(result.ok && result.value.data, {
    session_id: process.id,
    backend: "memory",
    status: "exited",
    exit_code: 4,
    completion_reason: "exited",
    termination_source: "itself",
    output: "done",
  });
  assert.deepEqual(noted, [process.id]);
});

for (const [request, seconds, note] of [
  [{ timeout: 5 }, 5, "It still runs after 5 s. Wait again, or do something else and poll."],
  [{}, 180, "It still runs after 180 s. Wait again, or do something else and poll."],
  [
    { timeout: 999 },
    180,
    "It still runs after 180 s, the longest a wait may take. Wait again, or do something else and poll.",
  ],
] as const) {
  test(`wait with ${JSON.stringify(request)} returns after ${seconds} s, and the process continues`, async () => {
    const { start, call, clock, noted } = setUp();
    const process = start();
    process.says("so far\n");
    const waiting = call({ action: "wait", session_id: process.id, ...request });
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    clock.advance(seconds * 1000);
    const result = await waiting;
    assert.deepEqual(result.ok && result.value.data, {
      session_id: process.id,
      backend: "memory",
      status: "timeout",
      process_running: true,
      note,
      output: "so far",
    });
    assert.deepEqual([noted, clock.waiting], [[], 0]);
  });
}

test("an interrupted wait does not affect the process", async () => {
  const { start, call } = setUp();
  const process = start();
  const stop = new AbortController();
  const waiting = call({ action: "wait", session_id: process.id }, stop.signal);
  stop.abort();
  const result = await waiting;
  assert.equal(result.ok && (result.value.data as JsonObject)["status"], "interrupted");
  assert.equal(await process.ending(new AbortController().signal), undefined);
});

// ── actions that change a process ───────────────────────────────────────────────────────────────────────────────────

test("kill ends a running process, and a process that has ended stays unchanged", async () => {
  const { start, dataOf, noted } = setUp();
  const process = start();
  const killed = await dataOf({ action: "kill", session_id: process.id });
  assert.deepEqual([killed["status"], killed["exit_code"], killed["completion_reason"]], ["killed", 143, "killed"]);
  assert.equal((await dataOf({ action: "kill", session_id: process.id }))["status"], "already_exited");
  const other = start();
  other.ends({ exitCode: 0 });
  assert.equal((await dataOf({ action: "kill", session_id: other.id }))["status"], "already_exited");
  assert.deepEqual(noted, [process.id, process.id, other.id]);
});

test("write types the text, submit adds Enter, for a pipe or a terminal", async () => {
  const { start, dataOf } = setUp();
  for (const [process, enter] of [
    [start(), "\n"],
    [start("vim", { pty }), "\r"],
  ] as const) {
    const input = { session_id: process.id };
    assert.deepEqual(await dataOf({ ...input, action: "write", data: "é\u0003" }), {
      status: "ok",
      session_id: process.id,
      backend: "memory",
      bytes_written: 3,
    });
    await dataOf({ ...input, action: "submit", data: "yes" });
    await dataOf({ ...input, action: "submit" });
    assert.deepEqual(process.typed, ["é\u0003", `yes${enter}`, enter]);
  }
});

test("close ends the input, and typing afterwards fails with the reason", async () => {
  const { start, dataOf, call } = setUp();
  const process = start();
  assert.equal((await dataOf({ action: "close", session_id: process.id }))["status"], "ok");
  const late = await call({ action: "write", session_id: process.id, data: "x" });
  assert.equal(messageOf(late), `${process.id} did not accept the input: its input is closed.`);
  process.ends({ exitCode: 0 });
  assert.match(
    messageOf(await call({ action: "submit", session_id: process.id })),
    /has ended and accepts no input\. Read/,
  );
});

test("the screen of a terminal is shown with its cursor, and can be resized", async () => {
  const { start, dataOf } = setUp();
  const process = start("vim", { pty });
  process.shows({ columns: 20, rows: 3, lines: ["hello", "", ""], cursor: { column: 5, row: 0 }, title: "vim" });
  const input = { session_id: process.id };
  assert.deepEqual(await dataOf({ ...input, action: "screen" }), {
    ...input,
    backend: "memory",
    status: "running",
    columns: 20,
    rows: 3,
    cursor: { column: 5, row: 0 },
    title: "vim",
    screen: "hello",
  });
  assert.deepEqual(await dataOf({ ...input, action: "resize", columns: 80 }), {
    status: "ok",
    ...input,
    backend: "memory",
    columns: 80,
    rows: 3,
  });
  for (const action of ["poll", "log"])
    assert.match(words((await dataOf({ ...input, action }))["note"]), /process screen/);
});

test("a request that is not possible fails with advice", async () => {
  const { start, call } = setUp();
  const { id } = start();
  for (const [args, message] of [
    [{ action: "poll" }, /^session_id: poll needs one; action list shows them$/],
    [{ action: "poll", session_id: "proc_x" }, /^There is no proc_x\.$/],
    [{ action: "write", session_id: id }, /^data: write needs/],
    [{ action: "resize", session_id: id }, /^resize needs columns or rows$/],
    [{ action: "resize", session_id: id, rows: 10 }, /has no terminal: .*pty: true$/],
    [{ action: "screen", session_id: id }, /has no terminal: read it with log/],
    [{ action: "stop" }, /Invalid arguments/],
    [{ action: "log", session_id: id, offset: -1 }, /Invalid arguments/],
  ] as const) {
    assert.match(messageOf(await call(args)), message);
  }
});

test("actions that change a process declare effects, and actions that read do not", async () => {
  const effects = async (args: JsonObject) => {
    const prepared = await tool.prepare({ session_id: "proc_1", ...args });
    return prepared.ok ? prepared.value.effects({ cwd: "/", backend: "local" }) : undefined;
  };
  const place = { kind: "process", id: "proc_1" };
  assert.deepEqual(await effects({ action: "kill" }), [{ ...place, action: "kill" }]);
  assert.deepEqual(await effects({ action: "close" }), [{ ...place, action: "close" }]);
  for (const action of ["write", "submit"]) {
    assert.deepEqual(await effects({ action, data: "rm x" }), [{ ...place, action: "type", text: "rm x" }]);
  }
  for (const action of ["list", "poll", "log", "wait", "screen", "resize"])
    assert.deepEqual(await effects({ action }), []);
});

function words(value: unknown): string {
  assert.ok(typeof value === "string");
  return value;
}

// ── kernels of execute_code ─────────────────────────────────────────────────────────────────────────────────────────

test("kernels are listed, interrupted by Ctrl-C and killed", async () => {
  const { kernels, dataOf, call, clock } = setUp();
  const id = "kernel_one";
  const [startedAt, memoryBytes] = [clock.now() - 5_000, 3 * 2 ** 20];
  kernels.kernels.push({ id, language: "python", pid: 7, startedAt, usedAt: 0, scripts: 2, isBusy: true, memoryBytes });
  const row = {
    session_id: id,
    language: "python",
    status: "busy",
    pid: 7,
    uptime_seconds: 5,
    scripts: 2,
    memory_mb: 3,
  };
  assert.deepEqual(await dataOf({ action: "list" }), { count: 0, running: 0, processes: [], kernels: [row] });
  assert.deepEqual(await dataOf({ action: "poll", session_id: id }), row);
  assert.equal((await dataOf({ action: "write", session_id: id, data: "\u0003" }))["status"], "interrupted");
  assert.deepEqual(kernels.interrupted, [id]);
  assert.match(messageOf(await call({ action: "log", session_id: id })), /use poll, kill, or write with/);
  assert.equal((await dataOf({ action: "kill", session_id: id }))["status"], "killed");
  assert.match(messageOf(await call({ action: "kill", session_id: id })), /There is no kernel kernel_one/);
});
