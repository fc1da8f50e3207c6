import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { type AgentId, asId, type CallId, type SessionId } from "../../../../base/ids.ts";
import { noUsage } from "../../../../contracts/model/model.ts";
import type { AgentEvent, AgentEventBody } from "../../../../contracts/session/event.ts";
import { emptyFeed, type FeedState, reduceFeed } from "./feed-state.ts";

function reduce(bodies: readonly AgentEventBody[]): FeedState {
  const about = { at: 0, sessionId: asId<SessionId>("s"), agentId: asId<AgentId>("a") };
  const events = bodies.map((body, seq): AgentEvent => ({ seq, ...about, ...body }));
  return events.reduce((state, event) => deepFreeze(reduceFeed(state, event)), deepFreeze(emptyFeed));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

const callId = asId<CallId>("1");
const started = { type: "tool.started", callId, name: "terminal", args: { command: "ls" } } as const;
const finished = {
  type: "tool.finished",
  callId,
  name: "terminal",
  failed: false,
  durationMs: 5,
  summary: "ok",
} as const;
const text = (delta: string) => ({ type: "text.delta", delta }) as const;
const called = { type: "model.called", provider: "p", model: "m", attempt: 1 } as const;
const outcome = { reason: "answered", text: "", usage: noUsage, modelCalls: 1, toolCalls: 0 } as const;
const over: AgentEventBody = { type: "turn.finished", turnId: asId("t"), outcome };

const bodies: fc.Arbitrary<AgentEventBody> = fc.constantFrom<AgentEventBody>(
  called,
  text("a"),
  text("b"),
  { type: "reasoning.delta", delta: "hm" },
  started,
  { ...started, callId: asId<CallId>("2") },
  { type: "tool.printed", callId, lines: ["x"] },
  finished,
  { type: "notice", level: "info", text: "note" },
  over,
);

test("the same events give the same state, and a later event does not modify an earlier state", () => {
  fc.assert(
    fc.property(fc.array(bodies), (events) => {
      assert.deepEqual(reduce(events), reduce(events));
    }),
  );
});

test("every piece of text is in the state, in order", () => {
  fc.assert(
    fc.property(fc.array(bodies.filter(({ type }) => type !== "turn.finished")), (events) => {
      const written = events.map((event) => (event.type === "text.delta" ? event.delta : "")).join("");
      const texts = reduce(events).items.map((item) => (item.type === "answer" ? item.text : ""));
      assert.equal(texts.join(""), written);
    }),
  );
});

test("a call is one item from its start to its result", () => {
  const { items, changed } = reduce([text("Look"), started, { ...started, callId: asId<CallId>("2") }, finished]);
  assert.deepEqual(items, [
    { type: "answer", answer: 0, text: "Look", delta: "Look" },
    {
      type: "call",
      callId,
      name: "terminal",
      args: { command: "ls" },
      isRepeat: false,
      startedAt: 0,
      printed: [],
      result: { failed: false, summary: "ok", durationMs: 5 },
    },
    { type: "call", callId: "2", name: "terminal", args: { command: "ls" }, isRepeat: true, startedAt: 0, printed: [] },
  ]);
  assert.equal(changed, 1);
});

test("nested calls are counted in the item of their parent call and have no items of their own", () => {
  const nested = (id: string, name: string) => ({ ...started, callId: asId<CallId>(id), name, parentCallId: callId });
  const { items, changed, answer } = reduce([
    started,
    nested("a", "read_file"),
    { ...finished, callId: asId<CallId>("a"), parentCallId: callId },
    nested("b", "search_files"),
  ]);
  assert.deepEqual(
    items.map((item) => item.type === "call" && [item.name, item.nested, item.result]),
    [["terminal", { calls: 2, tool: "search_files" }, undefined]],
  );
  assert.deepEqual([changed, answer], [0, 1]);
});

test("text of one answer is one item until another event interrupts it, and each answer has a number", () => {
  const { items } = reduce([
    text("a"),
    text("b"),
    { type: "notice", level: "info", text: "n" },
    text("c"),
    started,
    text("d"),
  ]);
  assert.deepEqual(
    items.map((item) => (item.type === "answer" ? [item.answer, item.text] : item.type)),
    [[0, "ab"], "notice", [0, "c"], "call", [1, "d"]],
  );
});

test("the state says that the model is pending from the request to its first word, and whether it is thinking", () => {
  const thinking = { type: "reasoning.delta", delta: "hm" } as const;
  assert.deepEqual(reduce([called]).waiting, { seq: 0, model: "p/m", isThinking: false });
  assert.equal(reduce([called, thinking]).waiting?.isThinking, true);
  assert.equal(reduce([called, thinking, text("a")]).waiting, undefined);
});

test("a new turn starts without the items of the previous turn", () => {
  assert.equal(reduce([text("a"), over]).items.length, 1);
  assert.deepEqual(
    reduce([text("a"), over, text("b")]).items.map((item) => item.type === "answer" && item.text),
    ["b"],
  );
});
