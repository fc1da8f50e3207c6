import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type SessionId } from "../base/ids.ts";
import { createInbox } from "./inbox.ts";

const [anna, ben] = [asId<SessionId>("ses_a"), asId<SessionId>("ses_b")];
const say = (text: string) => [{ type: "text", text }] as const;

test("each session gets each of its own messages once, in order", () => {
  const inbox = createInbox();
  inbox.put(anna, "proc_1", say("one"));
  inbox.put(ben, "proc_2", say("two"));
  inbox.put(anna, "proc_3", say("three"));
  assert.deepEqual(
    inbox.take(anna).map(({ from }) => from),
    ["proc_1", "proc_3"],
  );
  assert.deepEqual(inbox.take(anna), []);
  assert.deepEqual(inbox.take(ben), [{ from: "proc_2", content: say("two") }]);
});

test("a message can be removed until it is delivered", () => {
  const inbox = createInbox();
  const first = inbox.put(anna, "a", say("one"));
  inbox.put(anna, "b", say("two"));
  first[Symbol.dispose]();
  assert.deepEqual(
    inbox.take(anna).map(({ from }) => from),
    ["b"],
  );
  first[Symbol.dispose]();
});

test("a session that never reads its messages loses the oldest ones", () => {
  const inbox = createInbox(2);
  for (const from of ["a", "b", "c"]) inbox.put(anna, from, say(from));
  assert.deepEqual(
    inbox.take(anna).map(({ from }) => from),
    ["b", "c"],
  );
});
