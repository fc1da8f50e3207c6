import assert from "node:assert/strict";
import { test } from "node:test";

import { systemClock } from "../../base/clock.ts";
import { asId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import { silentLog } from "../../base/log.ts";
import { err, ok } from "../../base/result.ts";
import type { Environment, EnvironmentError, ExecOptions, ExecResult } from "../../contracts/environment.ts";
import type { ToolResult } from "../../contracts/tool.ts";
import terminal from "./terminal.tool.ts";

interface Asked {
  readonly command: string;
  readonly options: ExecOptions;
}

const usual: ExecResult = {
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

/** Calls the tool in an environment that answers with this. */
async function call(args: JsonObject, answer: Partial<ExecResult> | EnvironmentError = {}, defaultMs = 180_000) {
  const asked: Asked[] = [];
  // Only what the tool may use; the real one is in the integration tests.
  const environment = {
    kind: "local",
    async exec(command: string, options: ExecOptions) {
      asked.push({ command, options });
      return "message" in answer ? err(answer) : ok({ ...usual, ...answer });
    },
  } as unknown as Environment;
  const prepared = await terminal.prepare(args);
  if (!prepared.ok) return { result: prepared as ToolResult, asked };
  const result = await prepared.value.run({
    sessionId: asId("ses_test"),
    callId: asId("call_test"),
    origin: "model",
    principal: { id: "test" },
    signal: new AbortController().signal,
    clock: systemClock,
    log: silentLog,
    secrets: {},
    progress() {},
    environment,
    commandDefaults: { timeoutMs: defaultMs },
  });
  return { result, asked };
}

async function dataOf(args: JsonObject, answer: Partial<ExecResult>) {
  const { result } = await call(args, answer);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.data as JsonObject;
}

const facts = { cwd: "/here", backend: "local", duration_ms: 3, waited_ms: 1 };

test("a command answers with its output, exit code, folder, backend and times", async () => {
  assert.deepEqual(await dataOf({ command: "echo hi" }, {}), { exit_code: 0, error: null, ...facts, output: "hi\n" });
});

test("an exit code other than 0 is an answer", async () => {
  assert.deepEqual(await dataOf({ command: "grep x y" }, { exitCode: 1, head: new Uint8Array(), totalBytes: 0 }), {
    exit_code: 1,
    error: null,
    exit_code_meaning: "no match; not an error",
    ...facts,
    output: "",
  });
});

test("a timeout keeps the output so far", async () => {
  const data = await dataOf(
    { command: "x", timeout: 2 },
    { ended: "timeout", head: Buffer.from("so far"), totalBytes: 6 },
  );
  assert.deepEqual([data.exit_code, data.timed_out, data.output], [124, true, "so far\n[Command timed out after 2s]"]);
  assert.match(JSON.stringify(data.error), /timed out after 2 s/);
});

test("what was left running is named, with advice", async () => {
  const data = await dataOf({ command: "x &" }, { leftRunning: ["sleep 9 (pid 7)"] });
  assert.deepEqual(data.left_running, ["sleep 9 (pid 7)"]);
  assert.match(JSON.stringify(data.hint), /background: true is not in this version/);
});

test("long output names its file before the output itself", async () => {
  const data = await dataOf({ command: "x" }, { totalBytes: 99, spillPath: "/spill" });
  assert.equal(data.full_output_path, "/spill");
  assert.equal(data.output_total_bytes, 99);
  assert.equal(Object.keys(data).at(-1), "output");
});

test("the time limit is the call's, else that of the settings", async () => {
  const limits = async (args: JsonObject, defaultMs?: number) =>
    (await call({ command: "x", ...args }, {}, defaultMs)).asked.map(({ options }) => options.timeoutMs);
  assert.deepEqual(await limits({}), [180_000]);
  assert.deepEqual(await limits({ timeout: 0.5 }), [500]);
  assert.deepEqual(await limits({ timeout: 600 }), [600_000]);
  assert.deepEqual(await limits({ timeout: 601 }), []);
  assert.deepEqual(await limits({ timeout: 700 }, 900_000), [700_000]);
});

for (const [what, args] of [
  ["no command", {}],
  ["an empty command", { command: "" }],
  ["a command that is no text", { command: ["ls"] }],
  ["a time limit of 0", { command: "x", timeout: 0 }],
  ["a time limit below 0", { command: "x", timeout: -1 }],
  ["a time limit beyond the longest", { command: "x", timeout: 601 }],
] as const) {
  test(`${what} is refused, and nothing is run`, async () => {
    const { result, asked } = await call(args);
    assert.deepEqual([!result.ok && result.error.kind, asked], ["invalid_args", []]);
  });
}

test("an environment that is not there is a failure with the reason and what to do", async () => {
  const { result } = await call({ command: "x" }, { kind: "unreachable", message: "no answer", hint: "Start it." });
  assert.deepEqual(!result.ok && result.error, {
    kind: "unavailable",
    message: "The command was not run (local): no answer. Start it.",
    effect: "none",
    data: { backend: "local", reason: "unreachable" },
  });
});

test("the effect is the command in the folder it will run in", async () => {
  const at = { cwd: "/here", backend: "local" };
  const effects = async (args: JsonObject) => {
    const prepared = await terminal.prepare(args);
    return prepared.ok ? prepared.value.effects(at) : [];
  };
  const exec = { kind: "exec", command: "x", background: false } as const;
  assert.deepEqual(await effects({ command: "x" }), [{ ...exec, cwd: "/here" }]);
  assert.deepEqual(await effects({ command: "x", workdir: "sub/../other" }), [{ ...exec, cwd: "/here/other" }]);
  assert.deepEqual(await effects({ command: "x", workdir: "/abs" }), [{ ...exec, cwd: "/abs" }]);
});
