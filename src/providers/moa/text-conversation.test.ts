import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { asId, type CallId } from "../../base/ids.ts";
import type { Message } from "../../contracts/model/message.ts";
import { textConversation } from "./text-conversation.ts";

const user = (...texts: readonly string[]): Message => ({
  role: "user",
  content: texts.map((text) => ({ type: "text", text })),
});
const says = (text: string, call?: string): Message => ({
  role: "assistant",
  content: text === "" ? [] : [{ type: "text", text }],
  calls: call === undefined ? [] : [{ id: asId<CallId>(call), name: "terminal", args: "{}" }],
  reasoning: "secret thoughts",
  stop: "end",
});
const result = (call: string, text: string): Message => ({
  role: "tool",
  callId: asId<CallId>(call),
  name: "terminal",
  failed: false,
  content: [{ type: "text", text }],
});

/** Shortens messages to lines such as `u: hi` and `a: hello`. */
function words(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, content }) => {
    const text = content.map((part) => (part.type === "text" ? part.text : part.type)).join("|");
    return `${role[0]}: ${text}`;
  });
}

test("calls, results and reasoning are omitted, and consecutive texts of one role are joined into one message", () => {
  const history = [
    user("find it", "[a note]"),
    says("", "c1"),
    result("c1", "a result"),
    says("found", "c2"),
    result("c2", "another"),
    says("done"),
    user("thanks"),
    user("and now?"),
  ];
  assert.deepEqual(words(textConversation(history, 10_000)), [
    "u: find it\n[a note]",
    "a: found\n\ndone",
    "u: thanks\n\nand now?",
  ]);
  assert.doesNotMatch(JSON.stringify(textConversation(history, 10_000)), /secret|result|terminal/u);
});

test("between tool calls the conversation ends with the user's message", () => {
  const conversation = textConversation([user("go"), says("let me see", "c1"), result("c1", "x")], 10_000);
  assert.deepEqual(
    conversation.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  assert.match(words(conversation)[2] ?? "", /you do not see their results/u);
});

test("images and files are mentioned by name, and a conversation that starts with an answer gets a user message first", () => {
  const picture: Message = {
    role: "user",
    content: [
      { type: "image", mimeType: "image/png", data: "QUJD" },
      { type: "file", path: "a.txt" },
    ],
  };
  assert.deepEqual(words(textConversation([says("hello"), picture], 1_000)), ["u: [image]\n[file: a.txt]"]);
  assert.deepEqual(textConversation([], 1_000), []);
});

test("messages that are too old for the window are omitted, and long ones keep their beginning and end", () => {
  const old = [user("x".repeat(500)), says("y".repeat(500)), user("last")];
  assert.deepEqual(words(textConversation(old, 700)), ["u: last"]);
  const [long] = words(textConversation([user(`begin${"-".repeat(5_000)}end`)], 400));
  assert.match(long ?? "", /^u: begin-+\n\[… omitted: too long …\]\n-+end$/u);
  assert.ok((long ?? "").length <= 410);
});

test("any history becomes a conversation that starts and ends with the user and fits the window", () => {
  const text = fc.string({ maxLength: 300 });
  const message = fc.oneof(
    text.map((each) => user(each)),
    text.map((each) => says(each, "c")),
    text.map((each) => result("c", each)),
  );
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.integer({ min: 300, max: 2_000 }), (history, maxChars) => {
      const conversation = textConversation(history, maxChars);
      const roles = conversation.map(({ role }) => role);
      assert.deepEqual(
        roles,
        roles.map((_, index) => (index % 2 === 0 ? "user" : "assistant")),
      );
      assert.ok(roles.length === 0 || roles.length % 2 === 1);
      const size = conversation
        .flatMap(({ content }) => content)
        .reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
      assert.ok(size <= maxChars, `${size} of ${maxChars}`);
    }),
  );
});
