import assert from "node:assert/strict";
import { test } from "node:test";

import { call, recordingLog } from "../../test/support/dispatch-rig.ts";
import { fakeClock } from "../../test/support/fake-clock.ts";
import { asId, type SessionId } from "../base/ids.ts";
import type { LogFields } from "../base/log/log.ts";
import type { Hooks } from "../contracts/host/hook.ts";
import { text } from "../contracts/tool/tool-result.ts";
import { createHookBus } from "./hook-bus.ts";

const sessionId = asId<SessionId>("ses_test");
const before = { sessionId, call: call("t"), args: { a: 1 }, trace: [] };
const started = { sessionId, source: "test" };

function bench() {
  const logged: { readonly event: string; readonly fields: LogFields }[] = [];
  const clock = fakeClock();
  const bus = createHookBus({ clock, log: recordingLog(logged) });
  return { bus, clock, logged, signal: new AbortController().signal };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("every observer gets an event, even if another observer throws", async () => {
  const { bus, logged, signal } = bench();
  const received: string[] = [];
  bus.add("a", {
    sessionStart: () => {
      throw new Error("a is broken");
    },
  });
  bus.add("b", {
    sessionStart: async () => {
      throw new Error("b is broken");
    },
  });
  bus.add("c", { sessionStart: ({ source }) => void received.push(source) });
  await bus.notify("sessionStart", started, signal);
  assert.deepEqual(received, ["test"]);
  assert.deepEqual(
    logged.map(({ fields }) => fields.error),
    ["a is broken", "b is broken"],
  );
});

test("an observer that hangs is abandoned after its time limit, and its signal is aborted", async () => {
  const { bus, clock, logged, signal } = bench();
  let hookSignal: AbortSignal | undefined;
  bus.add(
    "slow",
    {
      sessionStart: (_, own) => {
        hookSignal = own;
        return new Promise(() => {});
      },
    },
    { timeoutMs: 500 },
  );
  const notified = bus.notify("sessionStart", started, signal);
  await settle();
  clock.advance(500);
  await notified;
  assert.equal(hookSignal?.aborted, true);
  assert.equal(clock.waiting, 0);
  assert.deepEqual(
    logged.map(({ event }) => event),
    ["hook.failed"],
  );
});

test("an unknown hook name is refused with a suggestion, including names of the Python version", () => {
  const { bus } = bench();
  const hook = () => {};
  assert.throws(() => bus.add("p", { beforeToolCal: hook } as Hooks), /no hook "beforeToolCal"; use beforeToolCall/);
  assert.throws(() => bus.add("p", { pre_tool_call: hook } as Hooks), /no hook "pre_tool_call"; use beforeToolCall/);
  assert.throws(() => bus.add("p", { constructor: hook } as Hooks), /no hook "constructor"/);
  assert.throws(() => bus.add("p", { beforeToolCall: 5 } as unknown as Hooks), /not a function/);
  assert.equal(bus.has("beforeToolCall"), false);
});

test("every hook runs before a call: each one sees changed arguments, and approval requests accumulate", async () => {
  const { bus, signal } = bench();
  const seen: unknown[] = [];
  bus.add("one", { beforeToolCall: () => ({ args: { a: 2 }, ask: "odd" }) });
  bus.add("two", { beforeToolCall: async ({ args }) => void seen.push(args) });
  bus.add("three", { beforeToolCall: () => ({ ask: "very odd" }) });
  assert.deepEqual(await bus.ask("beforeToolCall", before, signal), {
    askedBy: [
      { hook: "one", reason: "odd" },
      { hook: "three", reason: "very odd" },
    ],
    args: { a: 2 },
  });
  assert.deepEqual(seen, [{ a: 2 }]);
});

test("the first hook that blocks a call wins", async () => {
  const { bus, signal } = bench();
  let later = 0;
  bus.add("one", { beforeToolCall: () => ({ block: "no" }) });
  bus.add("two", { beforeToolCall: () => void later++ });
  assert.deepEqual(await bus.ask("beforeToolCall", before, signal), { block: "no", by: "one" });
  assert.equal(later, 0);
});

test("a malformed block still blocks the call, and other malformed answers are ignored", async () => {
  const { bus, logged, signal } = bench();
  for (const answer of ["yes", 5, { action: "dance" }, { ask: 5 }, { args: [] }]) {
    using _hook = bus.add("odd", { beforeToolCall: () => answer as never });
    assert.deepEqual(await bus.ask("beforeToolCall", before, signal), { askedBy: [] });
  }
  assert.equal(logged.length, 5);
  using _hook = bus.add("odd", { beforeToolCall: () => ({ block: true }) as never });
  assert.deepEqual(await bus.ask("beforeToolCall", before, signal), { block: "Blocked by a hook", by: "odd" });
});

test("the block and approve answers of the Python version keep their meaning", async () => {
  const { bus, signal } = bench();
  const received = async (answer: unknown) => {
    using _hook = bus.add("ported", { beforeToolCall: () => answer as never });
    return bus.ask("beforeToolCall", before, signal);
  };
  assert.deepEqual(await received({ action: "block", message: "no" }), { block: "no", by: "ported" });
  assert.deepEqual(await received({ action: "block" }), { block: "Blocked by a hook", by: "ported" });
  assert.deepEqual(await received({ decision: "block", reason: "never" }), { block: "never", by: "ported" });
  assert.deepEqual(await received({ action: "approve", message: "sure?", rule_key: "k" }), {
    askedBy: [{ hook: "ported", reason: "sure?", ruleKey: "k" }],
  });
  assert.deepEqual(await received({ action: "allow" }), { askedBy: [] });
});

test("a policy hook that throws, hangs or returns an invalid answer blocks the call", async () => {
  const answers: readonly (() => unknown)[] = [
    () => {
      throw new Error("boom");
    },
    async () => {
      throw new Error("boom");
    },
    () => new Promise(() => {}),
    () => "nonsense",
    () => ({ action: "dance" }),
  ];
  for (const answer of answers) {
    const { bus, clock, signal } = bench();
    bus.add("policy", { beforeToolCall: answer as never }, { enforce: true, timeoutMs: 100 });
    const asking = bus.ask("beforeToolCall", before, signal);
    await settle();
    clock.advance(100);
    const outcome = await asking;
    assert.ok(outcome && "block" in outcome && outcome.by === "policy");
  }
});

test("for other hooks the first valid answer wins, and contexts for a turn are joined", async () => {
  const { bus, signal } = bench();
  bus.add("a", { transformAnswer: () => 5 as never, beforeTurn: () => ({ context: "one" }) });
  bus.add("b", { transformAnswer: () => undefined, beforeTurn: () => ({ context: "two" }) });
  bus.add("c", { transformAnswer: async () => "better" });
  bus.add("d", { transformAnswer: () => "never asked" });
  assert.equal(await bus.ask("transformAnswer", { sessionId, text: "x", model: "m" }, signal), "better");
  assert.deepEqual(
    await bus.ask("beforeTurn", { sessionId, prompt: [], history: [], model: "m", isFirstTurn: true }, signal),
    {
      context: "one\n\ntwo",
    },
  );
  assert.equal(
    await bus.ask(
      "transformToolResult",
      { sessionId, call: call("t"), args: {}, result: text("x"), status: "ok", durationMs: 1 },
      signal,
    ),
    undefined,
  );
});

test("hooks may be added and removed while they run", async () => {
  const { bus, signal } = bench();
  const received: string[] = [];
  const self = bus.add("self", {
    sessionStart: () => {
      received.push("self");
      self[Symbol.dispose]();
      bus.add("new", { sessionStart: () => void received.push("new") });
    },
  });
  bus.add("other", { sessionStart: () => void received.push("other") });
  await bus.notify("sessionStart", started, signal);
  assert.deepEqual(received, ["self", "other"]);
  await bus.notify("sessionStart", started, signal);
  assert.deepEqual(received, ["self", "other", "other", "new"]);
  self[Symbol.dispose]();
  assert.equal(bus.has("sessionStart"), true);
});

test("an interrupt ends the wait for a hook", async () => {
  const { bus } = bench();
  const controller = new AbortController();
  bus.add("slow", { beforeToolCall: () => new Promise(() => {}) });
  const outcome = bus.ask("beforeToolCall", before, controller.signal);
  await settle();
  controller.abort();
  assert.deepEqual(await outcome, { askedBy: [] });
});
