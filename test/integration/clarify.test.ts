// covers: src/hosts/cli/chat, src/tools/agent, src/kernel/session, src/runtime/session
import assert from "node:assert/strict";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import { seenChat } from "../support/seen-chat.ts";

const ask = (args: JsonObject) => ({ calls: [{ name: "clarify", args }] });
const idle = /❯$/u;
const waits = /> *$/u;
const question = {
  question: "Which database should the service use?",
  choices: [
    { label: "PostgreSQL", description: "Runs on the server already", recommended: true },
    "SQLite",
    "None: keep everything in files below the home folder of the service",
  ],
};

type Chat = Awaited<ReturnType<typeof seenChat>>;

/** The result of the call that the model got. */
function resultOf({ server }: Chat): string {
  return JSON.stringify(server.requests.at(-1)?.json ?? {});
}

/** Waits until the question takes keys, then types. */
async function answer(chat: Chat, keys: string): Promise<void> {
  await chat.until(waits);
  chat.type(keys);
}

test("arrow keys choose at a terminal; afterwards the screen shows the question and the answer without the list", async () => {
  await using chat = await seenChat([ask(question), { text: "SQLite it is." }]);
  await chat.until(idle);
  chat.type("set it up\r");
  const shown = await chat.until(/Esc declines\n *>$/u);
  assert.match(
    shown,
    /Question from the agent: \(waits 2 min\)\n\n {2}│ Which database[^]*\n\n {2}❯ 1\. PostgreSQL \(recommended\)\n {7}Runs on the server already\n {4}2\. SQLite\n {4}3\. None:/u,
  );
  await answer(chat, "\x1b[B");
  await chat.until(/ {2}❯ 2\. SQLite\n/u);
  chat.type("\r");
  const after = await chat.until(/SQLite it is\.[^]*❯$/u);
  assert.match(after, / {2}│ Which database[^]*\n {2}❯ SQLite\n/u);
  assert.doesNotMatch(after, /3\. None/u);
  assert.match(
    resultOf(chat),
    /\\"choices_offered\\":\[\\"PostgreSQL\\",\\"SQLite\\",[^]*\\"user_response\\":\\"SQLite\\"/u,
  );
});

test("at 40 columns and 12 rows, no part of a question is cut off, and the selection stays visible", async () => {
  const long = Array.from({ length: 6 }, (_, index) => `Way ${index + 1}: ${"word ".repeat(14)}end${index + 1}`);
  await using chat = await seenChat([ask({ question: "Which way?", choices: long }), { text: "Done." }], {
    columns: 40,
    rows: 12,
  });
  await chat.until(idle);
  chat.type("go\r");
  assert.match(await chat.until(/more below[^]*>$/u), /❯ 1\. Way 1:/u);
  await answer(chat, "\x1b[A");
  const last = await chat.until(/❯ 6\. Way 6[^]*end6/u);
  assert.match(last, /more above/u);
  assert.ok(last.split("\n").every((line) => line.length <= 40));
  chat.type("\r");
  await chat.until(/Done\.[^]*❯$/u);
  assert.match(resultOf(chat), /end6\\"\}/u);
});

test("several choices and free text are returned as a list; free text without choices is returned as a string", async () => {
  await using chat = await seenChat([
    ask({ ...question, multi_select: true }),
    ask({ question: "What is its name?" }),
    { text: "Done." },
  ]);
  await chat.until(idle);
  chat.type("go\r");
  await answer(chat, " ");
  await chat.until(/❯ 1\. \[x\] PostgreSQL/u);
  chat.type("and Redis\r");
  await chat.until(/❯ PostgreSQL, and Redis/u);
  assert.match(await chat.until(/its name\?[^]*>$/u), /Enter answers/u);
  await answer(chat, "orders\r");
  await chat.until(/Done\.[^]*❯$/u);
  assert.match(resultOf(chat), /\\"user_response\\":\[\\"PostgreSQL\\",\\"and Redis\\"\]/u);
  assert.match(resultOf(chat), /\\"user_response\\":\\"orders\\"/u);
});

test("an unanswered question ends after clarify.timeout, and the model is asked to decide by itself", async () => {
  await using chat = await seenChat([ask(question), { text: "I chose." }], { settings: { clarify: { timeout: 2 } } });
  await chat.until(idle);
  chat.type("go\r");
  await chat.until(/\(nobody answered within 2 s\)[^]*I chose\./u);
  assert.match(resultOf(chat), /The user did not answer within 2 s\. Decide yourself/u);
});

test("Escape and Ctrl-C decline a question without stopping the turn, and the model gets a note", async () => {
  for (const key of ["\x1b", "\x03"]) {
    await using chat = await seenChat([ask(question), { text: "Going on." }]);
    await chat.until(idle);
    chat.type("go\r");
    await answer(chat, key);
    await chat.until(/\(declined\)[^]*Going on\./u);
    assert.match(resultOf(chat), /The user declined to answer/u);
  }
});

test("if nobody can answer, the clarify tool is not offered", async () => {
  await using chat = await seenChat([{ text: "Hi." }, { text: "Hi." }], { args: ["-z", "say hi"] });
  assert.equal(await chat.code, 0);
  assert.doesNotMatch(JSON.stringify(chat.server.requests[0]?.json ?? {}), /clarify/u);
});

test("`chat -q` at a terminal asks with a numbered list and reads a line", async () => {
  await using chat = await seenChat([ask(question), { text: "SQLite it is." }], { args: ["chat", "-q", "set it up"] });
  assert.match(
    await chat.until(/Enter alone declines\) >$/u),
    / {2}1\. PostgreSQL \(recommended\)\n {5}Runs on[^]* {2}2\. SQLite/u,
  );
  chat.type("2\r");
  await chat.until(/SQLite it is\./u);
  assert.equal(await chat.code, 0);
  assert.match(resultOf(chat), /\\"user_response\\":\\"SQLite\\"/u);
});
