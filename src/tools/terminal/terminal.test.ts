import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { analysedEffects } from "../../../test/support/analysed-effects.ts";
import { memoryProcesses } from "../../../test/support/memory-processes.ts";
import { systemClock } from "../../base/clock.ts";
import { asId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log/log.ts";
import { err, ok } from "../../base/result.ts";
import type {
  Environment,
  EnvironmentError,
  ExecOptions,
  ExecResult,
  ProcessTable,
  StartOptions,
} from "../../contracts/environment/environment.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import terminal from "./terminal.tool.ts";

interface Request {
  readonly command: string;
  readonly options: ExecOptions;
}

const defaultValue: ExecResult = {
  ended: "exit",
  exitCode: 0,
  head: Buffer.from("hi\n"),
  tail: new Uint8Array(),
  totalBytes: 3,
  leftRunning: [],
  cwd: "/here",
  carried: true,
  backend: "local",
  waitedMs: 1.4,
  durationMs: 2.6,
};

interface Settings {
  readonly kind?: string;
  readonly timeoutMs?: number;
  readonly password?: string;
}

/** Calls the tool in an environment with this result. */
async function call(
  args: JsonObject,
  answer: Partial<ExecResult> | EnvironmentError = {},
  { kind = "local", timeoutMs = 180_000, password }: Settings = {},
) {
  const request: Request[] = [];
  const started: { readonly command: string; readonly options: StartOptions }[] = [];
  let passwordsAsked = 0;
  let passwordsForgotten = 0;
  const memory = memoryProcesses(systemClock, "message" in answer ? answer : undefined);
  const processes = {
    async start(command: string, options: StartOptions) {
      started.push({ command, options });
      const owner = { program: "prg", session: options.sessionId, principal: "test", isKept: options.keep };
      return memory.environment.spawn(command, { ...options, owner }, new AbortController().signal);
    },
  } as unknown as ProcessTable;
  // Contains only the members that the tool uses; the integration tests use the real environment.
  const environment = {
    kind,
    async exec(command: string, options: ExecOptions) {
      request.push({ command, options });
      return "message" in answer ? err(answer) : ok({ ...defaultValue, ...answer });
    },
  } as unknown as Environment;
  const prepared = await terminal.prepare(args);
  const seen = () => ({ asked: request, started, passwordsAsked, passwordsForgotten });
  if (!prepared.ok) return { result: prepared as ToolResult, ...seen() };
  const result = await prepared.value.run({
    sessionId: asId("ses_test"),
    callId: asId("call_test"),
    origin: "model",
    principal: { id: "test" },
    cwd: "/",
    effects: await analysedEffects(prepared.value),
    signal: new AbortController().signal,
    clock: systemClock,
    log: silentLog,
    secrets: {},
    progress() {},
    printed() {},
    environment,
    processes,
    commandDefaults: {
      timeoutMs,
      async sudoPassword() {
        passwordsAsked += 1;
        return password === undefined ? err({ reason: "nobody is there" }) : ok(password);
      },
      forgetSudoPassword: () => void (passwordsForgotten += 1),
    },
  });
  return { result, ...seen() };
}

async function dataOf(args: JsonObject, answer: Partial<ExecResult> = {}, settings?: Settings) {
  const { result } = await call(args, answer, settings);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.data as JsonObject;
}

const facts = { cwd: "/here", backend: "local", duration_ms: 3, waited_ms: 1 };

test("the result of a command has its output, exit code, folder, backend and times", async () => {
  assert.deepEqual(await dataOf({ command: "echo hi" }, {}), { exit_code: 0, error: null, ...facts, output: "hi\n" });
});

test("a command that contains a masked key does not run", async () => {
  const { result, asked: request } = await call({ command: "echo TOKEN=ghp_a1***q7R8 >> .env" });
  assert.match(result.ok ? "" : result.error.message, /ghp_a1\*\*\*q7R8 is the masked form of a key/u);
  assert.deepEqual(request, []);
});

test("an exit code other than 0 is a result", async () => {
  assert.deepEqual(await dataOf({ command: "grep x y" }, { exitCode: 1, head: new Uint8Array(), totalBytes: 0 }), {
    exit_code: 1,
    error: null,
    exit_code_meaning: "no match; not an error",
    ...facts,
    output: "",
  });
});

test("a command that times out returns its output so far", async () => {
  const data = await dataOf(
    { command: "x", timeout: 2 },
    { ended: "timeout", head: Buffer.from("so far"), totalBytes: 6 },
  );
  assert.deepEqual([data.exit_code, data.timed_out, data.output], [124, true, "so far\n[Command timed out after 2s]"]);
  assert.match(JSON.stringify(data.error), /timed out after 2 s/);
});

test("processes that a command left running are reported, with advice", async () => {
  const data = await dataOf({ command: "x &" }, { leftRunning: ["sleep 9 (pid 7)"] });
  assert.deepEqual(data.left_running, ["sleep 9 (pid 7)"]);
  assert.match(JSON.stringify(data.hint), /start it alone .* with background: true/);
});

test("the result of long output contains the path of its file before the output itself", async () => {
  const data = await dataOf({ command: "x" }, { totalBytes: 99, spillPath: "/spill" });
  assert.equal(data.full_output_path, "/spill");
  assert.equal(data.output_total_bytes, 99);
  assert.equal(Object.keys(data).at(-1), "output");
});

test("the timeout comes from the call, or otherwise from the settings", async () => {
  const limits = async (args: JsonObject, timeoutMs = 180_000) =>
    (await call({ command: "x", ...args }, {}, { timeoutMs })).asked.map(({ options }) => options.timeoutMs);
  assert.deepEqual(await limits({}), [180_000]);
  assert.deepEqual(await limits({ timeout: 0.5 }), [500]);
  assert.deepEqual(await limits({ timeout: 600 }), [600_000]);
  assert.deepEqual(await limits({ timeout: 601 }), []);
  assert.deepEqual(await limits({ timeout: 700 }, 900_000), [700_000]);
});

for (const [what, args] of [
  ["no command", {}],
  ["an empty command", { command: "" }],
  ["a command that is not a string", { command: ["ls"] }],
  ["a time limit of 0", { command: "x", timeout: 0 }],
  ["a time limit below 0", { command: "x", timeout: -1 }],
  ["a time limit beyond the longest", { command: "x", timeout: 601 }],
] as const) {
  test(`${what} is refused, and nothing runs`, async () => {
    const { result, asked: request } = await call(args);
    assert.deepEqual([!result.ok && result.error.kind, request], ["invalid_args", []]);
  });
}

test("an unavailable environment is an error with the reason and a hint", async () => {
  const { result } = await call({ command: "x" }, { kind: "unreachable", message: "no answer", hint: "Start it." });
  assert.deepEqual(!result.ok && result.error, {
    kind: "unavailable",
    message: "The command was not run (local): no answer. Start it.",
    effect: "none",
    data: { backend: "local", reason: "unreachable" },
  });
});

test("the effect is the command in the folder it will run in", async () => {
  const place = { cwd: "/here", backend: "local" };
  const effects = async (args: JsonObject) => {
    const prepared = await terminal.prepare(args);
    return prepared.ok ? prepared.value.effects(place) : [];
  };
  const exec = { kind: "exec", command: "x", background: false } as const;
  assert.deepEqual(await effects({ command: "x" }), [{ ...exec, cwd: "/here" }]);
  assert.deepEqual(await effects({ command: "x", workdir: "sub/../other" }), [{ ...exec, cwd: "/here/other" }]);
  assert.deepEqual(await effects({ command: "x", workdir: "/abs" }), [{ ...exec, cwd: "/abs" }]);
  assert.deepEqual(await effects({ command: "x", background: true }), [{ ...exec, cwd: "/here", background: true }]);
});

test("the tool expands the home folder only on this machine", async () => {
  const args = { command: "x", workdir: "~/project" };
  assert.equal((await call(args)).asked[0]?.options.cwd, join(homedir(), "project"));
  const { result, asked: request } = await call(args, {}, { kind: "ssh" });
  assert.deepEqual([!result.ok && result.error.kind, request], ["invalid_args", []]);
});

test("a command that was lost is a failure with unknown effects and its output so far", async () => {
  const { result } = await call({ command: "x" }, { ended: "lost", fault: "the connection broke" });
  assert.ok(!result.ok);
  const { effect, message, data, kind } = result.error;
  assert.deepEqual([effect, kind], ["unknown", "failed"]);
  assert.match(message, /may or may not have finished: the connection broke\. Look/);
  assert.deepEqual([(data as JsonObject)["output"], (data as JsonObject)["exit_code"]], ["hi\n", -1]);
});

test("a command with a terminal has 120 columns and 30 rows, and its output looks as on a screen", async () => {
  const head = Buffer.from("\x1b[?25l 10%\r\x1b[K100%\r\n\x1b[32mdone\x1b[0m\r\n");
  const { asked: request, result } = await call({ command: "x", pty: true }, { head, totalBytes: head.length });
  assert.deepEqual(request[0]?.options.pty, { columns: 120, rows: 30 });
  assert.equal(result.ok && (result.value.data as JsonObject)["output"], "100%\ndone\n");
});

test("a server that times out leads to the advice to run it in the background", async () => {
  assert.match(
    words((await dataOf({ command: "npm run dev" }, { ended: "timeout" }))["hint"]),
    /^The command looks like .*background: true/,
  );
  assert.match(words((await dataOf({ command: "make" }, { ended: "timeout" }))["hint"]), /longer timeout/);
});

test("background arguments are reported as without effect in the foreground", async () => {
  const data = await dataOf({ command: "x", notify_on_complete: true, watch_patterns: ["a"], keep: true });
  assert.equal(data["hint"], "Only with background: true: notify_on_complete, watch_patterns, keep.");
});

test("no command is rejected because of its spelling", async () => {
  for (const command of ["nohup x &", "a & wait", "setsid x", "vite build", "npm run dev", 'echo "x & y"', "disown"]) {
    assert.equal((await call({ command })).asked[0]?.command, command);
  }
});

// ── background ──────────────────────────────────────────────────────────────────────────────────────────────────────

const defaultStart = { sessionId: "ses_test", keep: false, notifyOnComplete: false, watchPatterns: [] };

test("a background command is started without waiting, and its id is returned", async () => {
  const { result, started, asked: request } = await call({ command: "serve", background: true });
  assert.ok(result.ok);
  const { hint, waited_ms: _, ...data } = result.value.data as JsonObject;
  assert.deepEqual(data, {
    output: "Background process started",
    session_id: "proc_abcd00000000",
    pid: 4_000,
    exit_code: 0,
    error: null,
    backend: "memory",
    cwd: "/here",
    duration_ms: 0,
    next: 'tool_call {"name":"process","arguments":{"action":"poll","session_id":"proc_abcd00000000"}}; other actions: log, wait, kill, write or submit (with data), close, screen',
  });
  assert.match(words(hint), /process poll or wait/);
  assert.deepEqual([started, request], [[{ command: "serve", options: defaultStart }], []]);
});

test("background options are passed on and confirmed", async () => {
  const { result, started } = await call({
    command: "serve",
    background: true,
    pty: true,
    workdir: "/there",
    watch_patterns: ["ready"],
    keep: true,
  });
  assert.deepEqual(started[0]?.options, {
    ...defaultStart,
    keep: true,
    watchPatterns: ["ready"],
    cwd: "/there",
    pty: { columns: 120, rows: 30 },
  });
  const data = (result.ok ? result.value.data : {}) as JsonObject;
  assert.deepEqual([data["hint"], data["watch_patterns"], data["keep"]], [undefined, ["ready"], true]);
  assert.match(words(data["pty_note"]), /process screen/);
});

test("notify_on_complete replaces watch_patterns, with a note", async () => {
  const args = { command: "x", background: true, notify_on_complete: true, watch_patterns: ["a"], timeout: 9_999 };
  const { result, started } = await call(args);
  assert.deepEqual(started[0]?.options, { ...defaultStart, notifyOnComplete: true });
  const data = (result.ok ? result.value.data : {}) as JsonObject;
  assert.deepEqual([data["notify_on_complete"], data["watch_patterns"]], [true, undefined]);
  assert.match(words(data["watch_patterns_ignored"]), /has no effect together with notify_on_complete/);
  assert.match(words(data["hint"]), /^timeout applies only in the foreground/);
});

test("a gh command that reads a token from its input runs without a terminal", async () => {
  const { result, started } = await call({ command: "gh auth login --with-token", background: true, pty: true });
  assert.equal(started[0]?.options.pty, undefined);
  assert.match(result.ok ? JSON.stringify(result.value.data) : "", /"pty_note":"Without a terminal/);
});

test("a background command that could not be started is a failure with the reason", async () => {
  const args = { command: "x", background: true };
  const { result } = await call(args, { kind: "refused", message: "no terminals here" });
  assert.deepEqual(!result.ok && [result.error.kind, result.error.message], [
    "invalid_args",
    "The command was not run (local): no terminals here.",
  ]);
});

// ── sudo ────────────────────────────────────────────────────────────────────────────────────────────────────────────

const password = "correct horse";

test("a sudo that may ask gets the password outside the command line, and the user is asked only in this case", async () => {
  const { asked: request, passwordsAsked } = await call({ command: "cd / && sudo ls" }, {}, { password });
  assert.deepEqual([request[0]?.command, request[0]?.options.sudoPassword], ["cd / && sudo -A ls", password]);
  assert.equal(passwordsAsked, 1);
  for (const command of ["ls", "echo sudo", "sudo -n ls", "sudo --version"]) {
    const other = await call({ command }, {}, { password });
    assert.deepEqual([other.asked[0]?.command, other.passwordsAsked], [command, 0]);
    assert.ok(!("sudoPassword" in (other.asked[0]?.options ?? {})));
  }
});

test("the password does not appear anywhere in the result", async () => {
  const message = `${password} ${Buffer.from(password).toString("base64")}\n`;
  const head = Buffer.from(message);
  const answer = { head, totalBytes: head.length, leftRunning: [`cat ${password} (pid 1)`] };
  const { result } = await call({ command: "sudo cat x" }, answer, { password });
  assert.ok(!JSON.stringify(result).includes(password));
  assert.ok(!JSON.stringify(result).includes(Buffer.from(password).toString("base64").slice(0, 12)));
  const short = await call({ command: "sudo cat x" }, { head: Buffer.from("x1y"), totalBytes: 3 }, { password: "1" });
  assert.equal(short.result.ok && (short.result.value.data as JsonObject)["output"], "x***y");
});

test("a password that sudo rejects is forgotten, with a note", async () => {
  const head = Buffer.from("Sorry, try again.\nsudo: 1 incorrect password attempt\n");
  const answer = { exitCode: 1, head, totalBytes: head.length };
  const { result, passwordsForgotten } = await call({ command: "sudo ls" }, answer, { password });
  assert.equal(result.ok && (result.value.data as JsonObject)["sudo_auth_failed"], true);
  assert.equal(passwordsForgotten, 1);
  const other = await call({ command: "cat log" }, answer, { password });
  assert.deepEqual([JSON.stringify(other.result).includes("sudo_auth_failed"), other.passwordsForgotten], [false, 0]);
});

test("if no user is present the command runs unchanged, and a failed sudo explains how to configure a password", async () => {
  const head = Buffer.from("sudo: a terminal is required to read the password; either use the -S option …\n");
  const { result, asked: request } = await call({ command: "sudo ls" }, { exitCode: 1, head, totalBytes: head.length });
  assert.deepEqual([request[0]?.command, request[0]?.options.sudoPassword], ["sudo ls", undefined]);
  const data = (result.ok ? result.value.data : {}) as JsonObject;
  assert.equal(data["sudo_auth_failed"], true);
  assert.match(words(data["hint"]), /needs a password and there is none: nobody is there/);
});

test("a password on the command line is rejected as a guess, unless a password is configured", async () => {
  for (const background of [false, true]) {
    const { result, asked: request, started } = await call({ command: "echo hunter2 | sudo -S ls", background });
    assert.deepEqual([!result.ok && result.error.kind, request, started], ["blocked", [], []]);
    assert.match(result.ok ? "" : result.error.message, /use sudo without -S/);
  }
  const { asked: requested } = await call({ command: "echo x | sudo -S ls" }, {}, { password });
  assert.equal(requested[0]?.command, "echo x | sudo -A ls");
  assert.equal((await call({ command: "sudo -S ls" })).asked.length, 1);
});

test("sudo in the background gets no password, with a note", async () => {
  const { result, started, passwordsAsked } = await call({ command: "sudo serve", background: true }, {}, { password });
  assert.deepEqual([started[0]?.command, passwordsAsked], ["sudo serve", 0]);
  assert.match(result.ok ? JSON.stringify(result.value.data) : "", /sudo_note/);
});

function words(value: unknown): string {
  assert.ok(typeof value === "string");
  return value;
}
