import assert from "node:assert/strict";
import { test } from "node:test";

import { call, recordingLog } from "../../../test/support/dispatch-rig.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { PluginClient, PluginFault, SerialisedEvent } from "../../contracts/plugin/client.ts";
import type { HookRegistration } from "../../contracts/plugin/registration.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import { createHookBus } from "../../kernel/hook-bus.ts";
import { hookArguments } from "./hook-arguments.ts";
import { createNextCalls } from "./next-calls.ts";
import { createDeliveryPace, createObserverQueue } from "./observer-queue.ts";
import { originalHook } from "./original-hooks.ts";
import { createHookEvents, pluginHooks } from "./plugin-hooks.ts";
import { pluginMiddleware } from "./plugin-middleware.ts";

const sessionId = asId<SessionId>("ses_test");
const { signal } = new AbortController();
const before = { sessionId, call: call("terminal"), args: { command: "git push" }, trace: [] };

type Answer = (method: string, params: JsonObject) => Promise<Result<unknown, PluginFault>>;

function bench(hooks: readonly Partial<HookRegistration>[], answer: Answer = async () => ok(null)) {
  const clock = fakeClock();
  const [batches, reports]: [SerialisedEvent[][], string[]] = [[], []];
  const client: PluginClient = {
    key: "guard",
    request: (method, params) => answer(method, params as never),
    observe: (events) => void batches.push([...events]),
    async [Symbol.asyncDispose]() {},
  };
  const bus = createHookBus({ clock, log: recordingLog([]) });
  const registered = hooks.map((one, index) => ({
    id: `h${index}`,
    hook: "beforeToolCall",
    isPolicy: false,
    mayAnswer: true,
    ...one,
  }));
  const redactor = { redact: (words: string) => words.replaceAll("s3cret", "***") };
  const events = createHookEvents(redactor);
  const pace = createDeliveryPace(clock);
  const adapted = pluginHooks({ hooks: registered }, client, { events, pace, report: (line) => reports.push(line) });
  for (const { hooks: one, options } of adapted.entries) bus.add("guard", one, options);
  return { bus, clock, batches, reports, client, adapted };
}

const pre = { original: "pre_tool_call" };

test("hook answers in the format of Python Hermes can block a call, require approval, or let the call pass", async () => {
  const answers: unknown[] = [
    { action: "block", message: "no pushing" },
    { decision: "block", reason: "never" },
    { action: "approve", message: "sure?", rule_key: "push" },
    { action: "allow" },
    null,
  ];
  const replies = [];
  for (const answer of answers) {
    const { bus } = bench([pre], async () => ok(answer));
    replies.push(await bus.ask("beforeToolCall", before, signal));
  }
  assert.deepEqual(replies, [
    { block: "no pushing", by: "guard" },
    { block: "never", by: "guard" },
    { askedBy: [{ hook: "guard", reason: "sure?", ruleKey: "push" }] },
    { askedBy: [] },
    { askedBy: [] },
  ]);
});

const faults: readonly PluginFault[] = [
  { kind: "failed", message: "guard failed: hooks.py, line 3" },
  { kind: "crashed", message: "guard crashed" },
  { kind: "timeout", message: "guard did not answer within 60 s" },
  { kind: "unavailable", message: "there is no Python" },
];

for (const fault of faults) {
  test(`a policy hook that is ${fault.kind} blocks the call; any other hook is skipped and reported`, async () => {
    const policy = bench([{ ...pre, isPolicy: true }], async () => err(fault));
    const outcome = await policy.bus.ask("beforeToolCall", before, signal);
    assert.ok(outcome && "block" in outcome && outcome.block.includes(fault.message));
    const plain = bench([pre], async () => err(fault));
    assert.deepEqual(await plain.bus.ask("beforeToolCall", before, signal), { askedBy: [] });
    await plain.bus.ask("beforeToolCall", before, signal);
    assert.deepEqual(plain.reports, [`The hook pre_tool_call of the plugin guard failed: ${fault.message}`]);
  });
}

test("an invalid answer of a policy hook blocks the call; invalid answers of other hooks are ignored", async () => {
  for (const nonsense of ["maybe", 5, ["block"], { action: "dance" }]) {
    const policy = bench([{ ...pre, isPolicy: true }], async () => ok(nonsense));
    const outcome = await policy.bus.ask("beforeToolCall", before, signal);
    assert.ok(outcome && "block" in outcome, JSON.stringify(nonsense));
    const plain = bench([pre], async () => ok(nonsense));
    assert.deepEqual(await plain.bus.ask("beforeToolCall", before, signal), { askedBy: [] });
  }
});

test("calls do not wait for a hook that never answers, and its events are sent in batches", async () => {
  const { bus, clock, batches } = bench([{ ...pre, mayAnswer: false }, { hook: "afterToolCall" }], () =>
    assert.fail("an observer is not asked"),
  );
  assert.deepEqual(await bus.ask("beforeToolCall", before, signal), { askedBy: [] });
  const after = { ...before, result: text("the s3cret"), status: "ok", durationMs: 1 } as const;
  await bus.notify("afterToolCall", after, signal);
  assert.equal(batches.length, 0);
  clock.advance(100);
  const [events] = batches;
  assert.deepEqual(
    events?.map(({ id }) => id),
    ["h0", "h1"],
  );
  assert.ok(events?.[1]?.args.includes("the ***"));
});

test("many plugins get their events one after the other, each within a second and in order", () => {
  const clock = fakeClock();
  const pace = createDeliveryPace(clock);
  let clockMs = 0;
  const delivered: { readonly plugin: number; readonly delayMs: number; readonly ids: readonly string[] }[] = [];
  const queues = Array.from({ length: 40 }, (_, plugin) =>
    createObserverQueue(
      {
        key: "watch",
        request: async () => ok(null),
        observe(events) {
          delivered.push({ plugin, delayMs: clockMs - Number(events[0]?.args), ids: events.map(({ id }) => id) });
        },
        async [Symbol.asyncDispose]() {},
      },
      pace,
    ),
  );
  for (let round = 0; round < 500; round++) {
    for (const queue of queues) queue.add({ id: `e${round}`, args: String(clockMs) });
    clockMs += 10;
    clock.advance(10);
  }
  for (const queue of queues) queue.flush();
  const expected = Array.from({ length: 500 }, (_, round) => `e${round}`);
  for (const plugin of queues.keys()) {
    const own = delivered.filter((each) => each.plugin === plugin);
    assert.deepEqual(
      own.flatMap(({ ids }) => ids),
      expected,
    );
    assert.ok(own.every(({ delayMs }) => delayMs <= 1_000));
    assert.ok(own.length <= 8, "few batches, because each wakes the process");
  }
  const firstRound = delivered.slice(0, 20);
  assert.equal(new Set(firstRound.map(({ delayMs }) => delayMs)).size, 20, "one after the other");
});

test("an event is built and serialised once for many observers", async () => {
  const watcher = { hook: "afterToolCall", original: "post_tool_call", mayAnswer: false };
  const { bus, batches, adapted } = bench(Array.from({ length: 20 }, () => watcher));
  let reads = 0;
  const event = {
    ...before,
    get result() {
      reads += 1;
      return text("x");
    },
    status: "ok",
    durationMs: 1,
  } as const;
  await bus.notify("afterToolCall", event, signal);
  adapted[Symbol.dispose]();
  assert.equal(batches[0]?.length, 20);
  assert.equal(new Set(batches[0]?.map(({ args }) => args)).size, 1);
  assert.equal(reads, 1);
});

test("a context hook may return text or an object, and a verification hook can continue the turn with a message", async () => {
  const turn = { sessionId, prompt: [], history: [], model: "m", isFirstTurn: true };
  for (const answer of ["remember", { context: "remember" }]) {
    const { bus } = bench([{ original: "pre_llm_call" }], async () => ok(answer));
    assert.deepEqual(await bus.ask("beforeTurn", turn, signal), { context: "remember" });
  }
  const done = { sessionId, answer: "Done.", changedPaths: ["a"], attempt: 0, model: "m", isCoding: true };
  for (const answer of [
    { action: "continue", message: "test it" },
    { decision: "block", reason: "test it" },
  ]) {
    const { bus } = bench([{ original: "pre_verify" }], async () => ok(answer));
    assert.deepEqual(await bus.ask("beforeVerify", done, signal), { continueWith: "test it" });
  }
});

test("a hook can classify an error with the reason names of Python Hermes", async () => {
  const failed = { sessionId, requestId: "r", provider: "p", model: "m", body: "", status: 429 };
  const classify = async (answer: unknown) => {
    const { bus } = bench([{ original: "transform_api_error_classification" }], async () => ok(answer));
    const error = { kind: "billing", message: "quota", status: 429 } as const;
    return bus.ask("classifyModelError", { ...failed, error }, signal);
  };
  assert.deepEqual(await classify({ reason: "rate_limit", retryable: true }), {
    kind: "rate_limited",
    message: "quota",
    status: 429,
  });
  assert.equal((await classify({ reason: "overloaded", retryable: false, message: " closed " }))?.message, "closed");
  assert.equal((await classify({ reason: "overloaded", retryable: false }))?.kind, "invalid_request");
  assert.equal(await classify({ reason: "nonsense" }), undefined);
});

test("middleware of a Python plugin receives the arguments of Python Hermes, and `next` runs the rest of the chain", async () => {
  const nextCalls = createNextCalls();
  const payloads: JsonObject[] = [];
  const { client } = bench([], async (_method, params) => {
    const { payload, token, kind } = params;
    if (!isObject(payload) || typeof token !== "string") return assert.fail();
    payloads.push(payload);
    if (kind === "tool_request") return ok({ args: { command: "ls" }, reason: "safer" });
    const result = await nextCalls.answer({ token, payload: { command: "ls -l" } });
    return ok(result.ok && typeof result.value === "string" ? `<${result.value}>` : "no text");
  });
  const registered = [
    { id: "a", kind: "tool_request" },
    { id: "b", kind: "tool_execution" },
  ] as const;
  const [request, execution] = pluginMiddleware({ middleware: registered }, client, nextCalls, "python");
  const about = { sessionId, callId: before.call.id, tool: "terminal", args: before.args, originalArgs: before.args };
  assert.deepEqual(await request?.toolRequest?.(about, signal), { args: { command: "ls" }, reason: "safer" });
  const sent: unknown[] = [];
  const wrapped = await execution?.toolExecution?.(
    about,
    async (args) => {
      sent.push(args);
      return text("a.txt");
    },
    signal,
  );
  assert.deepEqual(sent, [{ command: "ls -l" }]);
  assert.deepEqual(wrapped, text("<a.txt>"));
  assert.deepEqual(Object.keys(payloads[0] ?? {}).slice(0, 3), ["tool_name", "args", "original_args"]);
});

test("hooks that no event triggers yet still have their documented arguments", () => {
  const inbound = {
    chat: { platform: "chat", chatId: "c" },
    messageId: "m",
    from: { id: "u" },
    content: [{ type: "text", text: "hi" }],
    sentAt: 0,
  };
  const events: Readonly<Record<string, object>> = {
    subagent_start: { parentId: "p", agentId: "a", goal: "the s3cret", role: "r" },
    subagent_stop: { parentId: "p", role: "r", summary: "s", status: "done", calls: [], durationMs: 1 },
    pre_gateway_dispatch: { message: inbound },
    on_compression_complete: { tokensBefore: 2, tokensAfter: 1 },
  };
  const built = createHookEvents({ redact: (words) => words.replaceAll("s3cret", "***") });
  for (const [name, event] of Object.entries(events)) {
    const args = built.args({ sessionId, ...event }, originalHook(name));
    const { telemetry_schema_version: _, ...own } = args;
    const documented = hookArguments[name as keyof typeof hookArguments].args.split(" ");
    assert.deepEqual(Object.keys(own).toSorted(), documented.toSorted());
    assert.ok(!JSON.stringify(args).includes("s3cret"));
  }
});

test("every hook argument is masked, whatever its name, and a hook that returns it unchanged does not lose the secret", async () => {
  const event = { ...before, args: { name: "s3cret", list: ["a", "my s3cret"], model: "m" } };
  for (const original of ["pre_tool_call", undefined]) {
    const { bus } = bench([original === undefined ? {} : { original }], async (_method, { args }) => {
      assert.ok(!JSON.stringify(args).includes("s3cret"));
      const given = isObject(args) && isObject(args.args) ? args.args : assert.fail();
      return ok({ args: { ...given, model: "n" } });
    });
    const outcome = await bus.ask("beforeToolCall", event, signal);
    assert.deepEqual(outcome, { askedBy: [], args: { name: "s3cret", list: ["a", "my s3cret"], model: "n" } });
  }
});
