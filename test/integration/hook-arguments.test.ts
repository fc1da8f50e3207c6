// covers: src/plugins/hooks, src/kernel, src/runtime, src/safety/approvals.ts
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { isObject, type JsonObject, parsedObject } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import { hookAliases, hookFacts, originalHookNames } from "../../src/contracts/host/hook.ts";
import type { PluginClient } from "../../src/contracts/plugin/client.ts";
import { createHookEvents, pluginHooks } from "../../src/plugins/hooks/plugin-hooks.ts";
import { say } from "../support/obedient-model.ts";
import { wireRuntime } from "../support/wire-runtime.ts";

/** Every hook of the original, observed by one plugin while a session runs. */
const seen = new Map<string, JsonObject[]>();
const last = (name: string): JsonObject => seen.get(name)?.at(-1) ?? assert.fail(`${name} did not fire`);
const first = (name: string): JsonObject => seen.get(name)?.[0] ?? assert.fail(`${name} did not fire`);

const client: PluginClient = {
  key: "watcher",
  request: async () => ok(null),
  observe(events) {
    for (const { id, args } of events) seen.set(id, [...(seen.get(id) ?? []), parsedObject(args) as JsonObject]);
  },
  async [Symbol.asyncDispose]() {},
};

const names = [...Object.keys(originalHookNames), ...Object.keys(hookAliases)];

before(async () => {
  const turns = [
    { error: { status: 503, message: "busy" } },
    {
      text: "Let me see.",
      calls: [{ name: "terminal", args: { command: "echo token=ghp_abcdefghijklmnopqrstuvwxyz0123456789" } }],
    },
    { calls: [{ name: "write_file", args: { path: "a.ts", content: "let a = 1;\n" } }] },
    { calls: [{ name: "read_file", args: { path: "missing.txt" } }] },
    { calls: [{ name: "terminal", args: { command: "rm -rf build" } }] },
    { calls: [{ name: "skill_view", args: { name: "code-review" } }] },
    { text: ["All ", "done."] },
    // The answer to the second turn, and to what runs beside it: summaries and titles.
    ...Array.from({ length: 5 }, () => ({ text: "Bye." })),
  ];
  await using at = await wireRuntime(turns, { isolation: { mode: "off" }, agent: { api_max_retries: 1 } });
  const hooks = names.map((original) => ({
    id: original,
    hook: "turnEnd",
    original,
    isPolicy: false,
    mayAnswer: false,
  }));
  const deps = {
    events: createHookEvents({ redact: (text) => text.replaceAll(/ghp_\w+/gu, "***") }),
    clock: systemClock,
    report: (sentence: string) => assert.fail(sentence),
  };
  using adapted = pluginHooks({ hooks }, client, deps);
  for (const { hooks: one, options } of adapted.entries) at.runtime.hooks.add("watcher", one, options);
  const session = await at.runtime.openSession({});
  session.approvals.attach({ name: "the test", ask: async () => ({ scope: "once" }) });
  await say(session, "first");
  await session.compress();
  await using next = await at.runtime.openSession({ replaces: session.id });
  await session[Symbol.asyncDispose]();
  await say(next, "second");
});

/** The arguments that 6.2 lists for each hook. */
const listed: Readonly<Record<string, string>> = {
  pre_tool_call: "tool_name args task_id session_id tool_call_id turn_id api_request_id middleware_trace",
  post_tool_call:
    "tool_name args task_id session_id tool_call_id turn_id api_request_id middleware_trace result duration_ms status error_type error_message",
  transform_tool_result:
    "tool_name args task_id session_id tool_call_id turn_id api_request_id result duration_ms status error_type error_message",
  transform_terminal_output: "command output returncode task_id env_type",
  pre_llm_call:
    "session_id task_id turn_id user_message conversation_history is_first_turn model platform parent_session_id sender_id messages",
  post_llm_call:
    "session_id task_id turn_id user_message assistant_response conversation_history model platform messages",
  transform_llm_output: "response_text session_id model platform",
  pre_verify: "session_id platform model coding attempt final_response changed_paths",
  pre_api_request:
    "session_id task_id turn_id api_request_id provider base_url api_mode api_call_count retry_count message_count tool_count approx_input_tokens max_tokens started_at request platform model",
  post_api_request:
    "session_id task_id turn_id api_request_id provider base_url api_mode api_call_count retry_count api_duration started_at ended_at first_chunk_at finish_reason response_model usage response assistant_content_chars assistant_tool_call_count",
  api_request_error:
    "session_id task_id turn_id api_request_id provider base_url api_mode api_call_count retry_count max_retries retryable status_code reason error api_duration",
  transform_api_error_classification:
    "session_id provider model status_code error_type error_message error_body api_request_id",
  on_stream_start: "session_id task_id turn_id model platform api_request_id",
  on_stream_delta: "session_id task_id turn_id delta api_request_id",
  on_stream_end: "session_id task_id turn_id model text api_request_id",
  on_interim_message: "session_id task_id turn_id text",
  on_session_start: "session_id model platform",
  on_session_end: "session_id task_id turn_id completed failed interrupted turn_exit_reason model platform",
  on_session_finalize: "session_id platform",
  on_session_reset: "session_id platform",
  pre_approval_request:
    "command description pattern_key pattern_keys session_key surface turn_id tool_call_id session_id",
  post_approval_response:
    "command description pattern_key pattern_keys session_key surface turn_id tool_call_id choice",
  on_skill_lifecycle: "action skill_name use_count provenance session_id task_id reused",
  pre_context_compression: "session_id messages tokens_before",
};

for (const [name, expected] of Object.entries(listed)) {
  test(`${name} fires with ${expected}`, () => {
    const args = first(name);
    assert.equal(args["telemetry_schema_version"], "hermes.observer.v1");
    const missing = expected.split(" ").filter((argument) => args[argument] === undefined);
    assert.deepEqual(missing, []);
  });
}

test("hooks that wait for a feature have arguments, all others fire", () => {
  const silent = names.filter((name) => !seen.has(name));
  const waiting = names.filter((name) => {
    const original = hookAliases[name as keyof typeof hookAliases] ?? name;
    return hookFacts[originalHookNames[original as keyof typeof originalHookNames]].waitsFor !== undefined;
  });
  assert.deepEqual(
    silent.filter((name) => name !== "on_compression_complete"),
    waiting,
  );
});

test("secrets are masked in arguments, results and messages", () => {
  const { args } = first("pre_tool_call");
  assert.ok(isObject(args) && args.command === "echo token=***");
  assert.ok(!JSON.stringify([...seen.values()]).includes("ghp_"));
});

test("results and statuses are those that the model sees", () => {
  const calls = seen.get("post_tool_call") ?? [];
  assert.deepEqual(
    calls.map(({ tool_name, status }) => `${String(tool_name)} ${String(status)}`),
    ["terminal ok", "write_file ok", "read_file error", "terminal ok", "skill_view ok"],
  );
  assert.match(String(calls[2]?.["error_message"]), /missing\.txt/u);
  assert.equal(typeof calls[0]?.["duration_ms"], "number");
  assert.equal(calls[0]?.["session_id"], calls[0]?.["task_id"]);
});

test("a failed attempt reports the reaction, and its retry counts", () => {
  const failed = first("api_request_error");
  assert.deepEqual([failed["status_code"], failed["retryable"], failed["retry_count"]], [503, true, 0]);
  assert.deepEqual([failed["max_retries"], failed["api_mode"]], [1, "chat_completions"]);
  assert.match(String(failed["base_url"]), /^http:/u);
  const attempts = (seen.get("pre_api_request") ?? []).slice(0, 2);
  assert.deepEqual(
    attempts.map((args) => [args["retry_count"], args["api_call_count"]]),
    [
      [0, 1],
      [1, 1],
    ],
  );
  assert.equal(attempts[0]?.["api_request_id"], attempts[1]?.["api_request_id"]);
  assert.equal(first("pre_tool_call")["api_request_id"], attempts[1]?.["api_request_id"]);
  const request = first("pre_api_request")["request"];
  assert.ok(isObject(request) && isObject(request.body) && Array.isArray(request.body.messages));
});

test("the original's turn hooks fire once a turn, with both generations of arguments", () => {
  assert.equal(seen.get("pre_llm_call")?.length, 2);
  assert.deepEqual([first("pre_llm_call")["is_first_turn"], first("pre_llm_call")["user_message"]], [true, "first"]);
  assert.deepEqual(first("pre_llm_call")["messages"], [{ role: "user", content: "first" }]);
  assert.deepEqual(
    [first("post_llm_call")["assistant_response"], last("post_llm_call")["assistant_response"]],
    ["All done.", "Bye."],
  );
  assert.deepEqual(
    seen.get("on_session_end")?.map(({ completed, turn_exit_reason: reason }) => [completed, reason]),
    [
      [true, "answered"],
      [true, "answered"],
    ],
  );
  assert.equal(seen.get("on_session_start")?.length, 2);
  assert.ok((seen.get("on_session_finalize")?.length ?? 0) >= 1);
  assert.equal(seen.get("on_session_reset")?.length, 1);
});

test("an approval shows its command, and the choice of the person", () => {
  const question = seen.get("pre_approval_request")?.find(({ command }) => String(command).includes("rm -rf build"));
  assert.equal(question?.["surface"], "the test");
  assert.equal(last("post_approval_response")["choice"], "once");
});

test("a skill that the model reads is reported", () => {
  const { action, skill_name: skill, use_count: uses } = first("on_skill_lifecycle");
  assert.deepEqual([action, skill, uses], ["loaded", "code-review", 1]);
});
