// covers: src/plugins/hooks, src/kernel, src/runtime, src/safety/approvals.ts
import assert from "node:assert/strict";
import { before, test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { isObject, type JsonObject, parsedObject } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import { hookAliases, hookFacts, originalHookNames } from "../../src/contracts/host/hook.ts";
import type { PluginClient } from "../../src/contracts/plugin/client.ts";
import { hookArguments } from "../../src/plugins/hooks/hook-arguments.ts";
import { createDeliveryPace } from "../../src/plugins/hooks/observer-queue.ts";
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
    { calls: [{ name: "delegate_task", args: { goal: "count the files in this folder" } }] },
    { text: "There are three files." },
    { text: ["All ", "done."] },
    // The answers to the later turns, and to auxiliary requests: summaries and titles.
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
    pace: createDeliveryPace(systemClock),
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
  await say(next, "third");
});

const silent = ["pre_gateway_dispatch", "on_compression_complete"];

for (const [name, { args: documented }] of Object.entries(hookArguments)) {
  if (silent.includes(name)) continue;
  test(`${name} fires where it should with exactly its documented arguments`, () => {
    const { telemetry_schema_version: version, ...args } = first(name);
    assert.equal(version, "hermes.observer.v1");
    assert.deepEqual(Object.keys(args).toSorted(), documented.split(" ").toSorted());
  });
}

test("hooks whose feature does not exist yet have documented arguments, and all other hooks fire", () => {
  const unfired = names.filter((name) => !seen.has(name));
  const waiting = names.filter((name) => {
    const original = hookAliases[name as keyof typeof hookAliases] ?? name;
    return hookFacts[originalHookNames[original as keyof typeof originalHookNames]].waitsFor !== undefined;
  });
  assert.deepEqual(
    unfired.filter((name) => name !== "on_compression_complete"),
    waiting,
  );
});

test("hook arguments, results and messages contain no secrets", () => {
  const { args } = first("pre_tool_call");
  assert.ok(isObject(args) && args.command === "echo token=***");
  assert.ok(!JSON.stringify([...seen.values()]).includes("ghp_"));
});

test("hooks get the same results and statuses that the model sees", () => {
  const calls = seen.get("post_tool_call") ?? [];
  assert.deepEqual(
    calls.map(({ tool_name, status }) => [tool_name, status]),
    [
      ["terminal", "ok"],
      ["write_file", "ok"],
      ["read_file", "error"],
      ["terminal", "ok"],
      ["skill_view", "ok"],
      ["delegate_task", "ok"],
    ],
  );
  assert.match(JSON.stringify(calls[2]?.["error_message"]), /missing\.txt/u);
  assert.equal(typeof calls[0]?.["duration_ms"], "number");
  assert.equal(calls[0]?.["session_id"], calls[0]?.["task_id"]);
});

test("the hook for a failed attempt reports the next action and the number of the retry", () => {
  const failed = first("api_request_error");
  assert.deepEqual([failed["status_code"], failed["retryable"], failed["retry_count"]], [503, true, 0]);
  assert.deepEqual([failed["max_retries"], failed["api_mode"]], [1, "chat_completions"]);
  assert.match(JSON.stringify(failed["base_url"]), /^"http:/u);
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

test("the turn hooks of Python Hermes fire once per turn, with the old and the new arguments", () => {
  // Three of the sessions and one of the child agent.
  assert.equal(seen.get("pre_llm_call")?.length, 4);
  assert.deepEqual(
    (seen.get("pre_llm_call") ?? []).map((args) => args["is_first_turn"]),
    [true, true, true, false],
  );
  assert.deepEqual([first("pre_llm_call")["is_first_turn"], first("pre_llm_call")["user_message"]], [true, "first"]);
  assert.deepEqual(first("pre_llm_call")["messages"], [{ role: "user", content: "first" }]);
  assert.deepEqual(
    (seen.get("post_llm_call") ?? []).map((args) => args["assistant_response"]),
    ["There are three files.", "All done.", "Bye.", "Bye."],
  );
  assert.deepEqual(
    seen.get("on_session_end")?.map(({ completed, turn_exit_reason: reason }) => [completed, reason]),
    [
      [true, "answered"],
      [true, "answered"],
      [true, "answered"],
      [true, "answered"],
    ],
  );
  // Only the first turn of each session.
  assert.equal(seen.get("on_session_start")?.length, 3);
  assert.ok((seen.get("on_session_finalize")?.length ?? 0) >= 1);
  assert.equal(seen.get("on_session_reset")?.length, 1);
});

test("the approval hook gets the command and the user's choice", () => {
  const question = seen
    .get("pre_approval_request")
    ?.find(({ command }) => JSON.stringify(command).includes("rm -rf build"));
  assert.equal(question?.["surface"], "the test");
  assert.equal(last("post_approval_response")["choice"], "once");
});

test("the skill hook fires when the model reads a skill", () => {
  const { action, skill_name: skill, use_count: uses } = first("on_skill_lifecycle");
  assert.deepEqual([action, skill, uses], ["loaded", "code-review", 1]);
});
