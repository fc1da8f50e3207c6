// covers: src/sessions, src/runtime/session, src/tools/delegation
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import type { PendingApproval } from "../../src/contracts/safety/approval.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import { inChild } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { call, obedientModel, say } from "../support/obedient-model.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { tempHome } from "../support/temp-home.ts";

const allow = { "sessions.receive_messages": "allow" };

function received(session: Session): readonly string[] {
  return session.history().flatMap((message) => {
    const text = JSON.stringify(message.role === "user" ? message.content : "");
    return /Message from session/u.test(text) ? [text] : [];
  });
}

async function files(home: string): Promise<readonly string[]> {
  const names = await readdir(join(home, ".hermes", "session-mail"), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith(".json") && !name.endsWith(".sent.json"));
}

test("a message reaches another session by title or id in its next turn, exactly once, and taints it", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings: allow });
  const [one, two] = [
    await runtime.openSession({ source: "test", title: "Backend" }),
    await runtime.openSession({ source: "test", title: "Frontend" }),
  ];
  assert.match(
    await call(one, "sessions_send", { session: "Frontend", message: "the port is 8080" }),
    /"sent\\":true/u,
  );
  assert.match(await call(one, "sessions_send", { session: two.id, message: "and TLS is on" }), /"sent\\":true/u);
  assert.deepEqual(received(two), []);
  await say(two, "hello");
  assert.equal(received(two).length, 2);
  assert.match(received(two)[0] ?? "", /Message from session \w+ \(Backend\).*not by the user.*the port is 8080/u);
  await say(two, "again");
  assert.equal(received(two).length, 2);
  assert.deepEqual(await files(home.path), []);
  const entries = JSON.stringify(await runtime.sessions.entries(two.id));
  assert.match(entries, /"name":"taint","value":\[\{"kind":"message","name":"session \w+ \(Backend\)"/u);
});

test("a message survives restarts, and a crash between delivery and removal does not deliver it twice", async () => {
  await using home = await tempHome();
  const rig = () => runtimeRig({ folder: home.path, model: obedientModel(), settings: allow });
  const first = await rig();
  const two = await first.openSession({ source: "test", title: "Frontend" });
  await say(two, "hello");
  await two[Symbol.asyncDispose]();
  const one = await first.openSession({ source: "test" });
  await call(one, "sessions_send", { session: "Frontend", message: "for later" });
  await first[Symbol.asyncDispose]();
  await using second = await rig();
  const resumed = await second.openSession({ source: "test", resume: two.id });
  await say(resumed, "what is new?");
  assert.equal(received(resumed).length, 1);
  assert.equal((await files(home.path)).length, 1, "the file is removed before the next turn, not with the delivery");
  await resumed[Symbol.asyncDispose]();
  await using third = await rig();
  const again = await third.openSession({ source: "test", resume: two.id });
  await say(again, "and now?");
  assert.equal(received(again).length, 1);
  assert.deepEqual(await files(home.path), []);
});

test("another program can write to an open chat, which starts a turn for the message", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings: allow });
  const chat = await runtime.openSession({ source: "cli", title: "Chat" });
  const child = inChild(join(import.meta.dirname, "..", "support"), program, [home.path]);
  assert.equal((await child.ended).code, 0);
  await eventually(() => received(chat).length === 1);
  await eventually(() => chat.turn === undefined);
  assert.match(received(chat)[0] ?? "", /from another program/u);
});

const program = `
  import { call, obedientModel } from "./obedient-model.ts";
  import { runtimeRig } from "./runtime-rig.ts";
  const settings = { "sessions.receive_messages": "allow" };
  await using runtime = await runtimeRig({ folder: process.argv[1], model: obedientModel(), settings });
  const session = await runtime.openSession({ source: "test" });
  await call(session, "sessions_send", { session: "Chat", message: "from another program" });
`;

test("the receiving user is asked: without an answer the message is kept, and the user can allow or refuse the sender", async () => {
  await using home = await tempHome();
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel() });
  const one = await runtime.openSession({ source: "test" });
  const two = await runtime.openSession({ source: "test", title: "Two" });
  const send = (message: string) => call(one, "sessions_send", { session: "Two", message });
  await send("first");
  await say(two, "hello");
  await say(two, "hello");
  assert.deepEqual(received(two), []);
  assert.equal((await files(home.path)).length, 1);
  const questions: PendingApproval[] = [];
  {
    using _person = two.approvals.attach({
      name: "test",
      async ask(question) {
        questions.push(question);
        return { scope: "session" };
      },
    });
    await eventually(async () => (await say(two, "hello"), received(two).length === 1));
    await send("second");
    await eventually(async () => (await say(two, "hello"), received(two).length === 2));
  }
  assert.equal(questions.length, 1, "the answer holds for the session");
  assert.match(JSON.stringify(questions[0]), /this session from \w+/u);
  const three = await runtime.openSession({ source: "test", title: "Three" });
  using _other = three.approvals.attach({ name: "test", ask: async () => ({ scope: "deny" }) });
  await call(one, "sessions_send", { session: "Three", message: "unwanted" });
  await say(three, "hello");
  await eventually(async () => (await files(home.path)).every((name) => !name.startsWith(three.id)));
  await say(three, "hello");
  assert.deepEqual(received(three), []);
});

test("messages to unknown receivers, long messages and too many messages are refused", async () => {
  await using home = await tempHome();
  let now = systemClock.now();
  const clock = { ...systemClock, now: () => now };
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings: allow, clock });
  const one = await runtime.openSession({ source: "test", title: "One" });
  await runtime.openSession({ source: "test", title: "Two" });
  const send = (session: string, message = "m") => call(one, "sessions_send", { session, message });
  assert.match(await send("Nobody"), /was not sent/u);
  assert.match(await send("One"), /that is this session/u);
  assert.match(await send("Two", "x".repeat(8_001)), /8000 are allowed/u);
  const answers = [];
  for (let count = 0; count < 11; count++) answers.push(await send("Two"));
  assert.deepEqual(
    answers.map((answer) => answer.includes('sent\\":true')),
    [...Array.from({ length: 10 }, () => true), false],
  );
  assert.match(answers.at(-1) ?? "", /10 messages in a minute/u);
  now += 61_000;
  assert.match(await send("Two"), /sent\\":true/u);
});

test("with session mail off, nothing is sent", async () => {
  await using home = await tempHome();
  const settings = { "sessions.receive_messages": "off" };
  await using runtime = await runtimeRig({ folder: home.path, model: obedientModel(), settings });
  const one = await runtime.openSession({ source: "test" });
  await runtime.openSession({ source: "test", title: "Two" });
  assert.match(await call(one, "sessions_send", { session: "Two", message: "m" }), /receive_messages is off/u);
});
