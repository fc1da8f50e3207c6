import assert from "node:assert/strict";
import { test } from "node:test";

import { textOf, user } from "../../../../test/support/turn-rig.ts";
import { asId, type CallId, type EntryId, type SessionId, type TurnId } from "../../../base/ids.ts";
import type { AssistantMessage, Message } from "../../../contracts/model/message.ts";
import type { Entry, EntryBody } from "../../../contracts/session/session.ts";
import { text } from "../../../contracts/tool/tool-result.ts";
import { createHistory } from "./history.ts";

const turn = (id: string) => asId<TurnId>(id);
const callId = (id: string) => asId<CallId>(id);
const entryId = (index: number) => asId<EntryId>(`e${index}`);
const calling = (id: string): AssistantMessage => ({
  role: "assistant",
  content: [],
  calls: [{ id: callId(id), name: "terminal", args: {} }],
  stop: "calls",
});
const saying = (words: string): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "text", text: words }],
  calls: [],
  stop: "end",
});
const settled = (id: string, out: string): EntryBody => ({
  type: "settled",
  callId: callId(id),
  tool: "terminal",
  result: text(out),
  durationMs: 1,
});
const messageEntry = (message: Message, turnId: string): EntryBody => ({
  type: "message",
  message: message as AssistantMessage,
  turnId: turn(turnId),
});
const entries = (...bodies: readonly EntryBody[]) =>
  bodies.map((body, at): Entry => ({ ...body, id: entryId(at + 1), at }));
const compacted = (through: number, ...messages: readonly Message[]): EntryBody => ({
  type: "compacted",
  through: entryId(through),
  messages,
  tokensBefore: 2,
  tokensAfter: 1,
});

test("a result that arrives after the next prompt is placed with its call, and compaction keeps that prompt", () => {
  const path = entries(
    messageEntry(user("one"), "t1"),
    messageEntry(calling("a"), "t1"),
    settled("a", "it did not stop in time"),
    messageEntry(user("two"), "t2"),
    settled("a", "it has stopped now"),
    messageEntry(saying("answer"), "t2"),
  );
  const history = createHistory(path);
  assert.deepEqual(history.messages.map(textOf), ["one", "", "it has stopped now", "two", "answer"]);
  assert.equal(history.endOf(3), entryId(3));
  history.add({ ...compacted(3, user("summary")), id: entryId(7), at: 7 });
  assert.deepEqual(history.messages.map(textOf), ["summary", "two", "answer"]);
});

test("an empty list of items has no last entry, and the end of all items is the last entry", () => {
  const history = createHistory(entries(messageEntry(user("one"), "t1"), { type: "state", name: "todos", value: [] }));
  assert.equal(history.endOf(0), undefined);
  assert.equal(history.endOf(1), entryId(2));
});

test("entries that a summary still needs are kept, and a prompt is still a prompt after a reload", () => {
  const path = entries(
    messageEntry(user("one"), "t1"),
    messageEntry(calling("a"), "t1"),
    settled("a", "long"),
    compacted(3, user("summary"), user("one"), calling("a"), {
      role: "tool",
      callId: callId("a"),
      name: "terminal",
      failed: false,
      content: [{ type: "text", text: "short" }],
    }),
  );
  const read = createHistory(JSON.parse(JSON.stringify(path)) as Entry[]);
  assert.deepEqual(
    read.items.map(({ entry, isPrompt = false }) => [entry, isPrompt]),
    [
      ["e4", false],
      ["e1", true],
      ["e2", false],
      ["e3", false],
    ],
  );
});

test("a message that arrives during a turn does not start a turn", () => {
  const history = createHistory(
    entries(
      messageEntry(user("task"), "t1"),
      messageEntry(user("and mind the gap"), "t1"),
      messageEntry(user("next"), "t2"),
    ),
  );
  assert.deepEqual(
    history.items.map(({ isPrompt = false }) => isPrompt),
    [true, false, true],
  );
});

test("a nested call has no message of its own, and it stays open until it settles, before its parent", () => {
  const nested = (id: string): EntryBody => ({
    type: "planned",
    call: {
      callId: callId(id),
      parentCallId: callId("c1"),
      sessionId: asId<SessionId>("ses_1"),
      tool: "read_file",
      args: {},
      effects: [],
      origin: "script",
      principal: { id: "local:anna" },
    },
  });
  const dispatched = (id: string): EntryBody => ({ type: "dispatched", callId: callId(id) });
  const history = createHistory(
    entries(
      messageEntry(user("one"), "t1"),
      messageEntry(calling("c1"), "t1"),
      dispatched("c1"),
      nested("n1"),
      dispatched("n1"),
      { ...settled("n1", "read"), parentCallId: callId("c1") } as EntryBody,
      nested("n2"),
      dispatched("n2"),
    ),
  );
  assert.deepEqual(
    history.openCalls().map(({ call: { id }, wasBegun, parentCallId }) => [id, wasBegun, parentCallId]),
    [
      ["n2", true, "c1"],
      ["c1", true, undefined],
    ],
  );
  assert.deepEqual(
    history.messages.map((message) => (message.role === "tool" ? message.callId : message.role)),
    ["user", "assistant", "c1"],
  );
});
