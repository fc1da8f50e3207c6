import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../base/ids.ts";
import type { Message } from "../../contracts/model/message.ts";
import { firstDifference, messagesDigest } from "./messages-digest.ts";

const conversation = (result: string, id = "c1"): readonly Message[] => [
  { role: "user", content: [{ type: "text", text: "look" }] },
  { role: "assistant", content: [], calls: [{ id: asId<CallId>(id), name: "read_file", args: "{}" }], stop: "calls" },
  {
    role: "tool",
    callId: asId<CallId>(id),
    name: "read_file",
    failed: false,
    content: [{ type: "text", text: result }],
  },
];

test("call ids, times and process ids do not change the digest, and all other content does", () => {
  const digest = messagesDigest(conversation('{"output":"x","duration_ms":12,"pid":5}'));
  assert.equal(messagesDigest(conversation('{"output":"x","duration_ms":99,"pid":6}', "other")), digest);
  assert.notEqual(messagesDigest(conversation('{"output":"y","duration_ms":12,"pid":5}')), digest);
  assert.notEqual(messagesDigest(conversation("x").slice(0, 2)), messagesDigest(conversation("x")));
});

test("the first difference between two conversations is shown with its context", () => {
  const before = `${"same ".repeat(100)}old end`;
  const after = `${"same ".repeat(100)}new end`;
  assert.equal(firstDifference(conversation(before), conversation(before)), undefined);
  const result = firstDifference(conversation(before), conversation(after));
  assert.equal(result?.message, 3);
  assert.match(result?.recorded ?? "", /^….*same old end$/u);
  assert.match(result?.now ?? "", /^….*same new end$/u);
});

test("a missing message counts as a difference", () => {
  const result = firstDifference(conversation("x"), conversation("x").slice(0, 2));
  assert.deepEqual([result?.message, result?.now], [3, "(no message)"]);
});
