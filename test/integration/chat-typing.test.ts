// covers: src/hosts/cli/chat
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { seenChat } from "../support/seen-chat.ts";

const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
const waitFor = (file: string) => call(`until [ -e ${file} ]; do sleep 0.05; done`);
const idle = /❯$/u;
const queueing = { settings: { display: { busy_input_mode: "queue" } } };

function prompts(chat: Awaited<ReturnType<typeof seenChat>>): readonly unknown[] {
  const json = chat.server.requests.at(-1)?.json as { messages: { role: string; content: unknown }[] } | undefined;
  return (json?.messages ?? []).flatMap(({ role, content }) => (role === "user" ? [content] : []));
}

test("a half-typed line shows that output is waiting; a queued prompt is echoed when it starts", async () => {
  // The turn goes on after the first command, because its end would print the waiting output.
  const turns = [waitFor("go"), waitFor("on"), { text: "First answer." }, { text: "Second answer." }];
  await using chat = await seenChat(turns, queueing);
  await chat.until(idle);
  chat.type("first\r");
  await chat.until(/ \d+ s$/u);
  chat.type("second\r");
  await chat.until("queued after the running turn");
  chat.type("dra");
  await chat.until(/❯ dra$/u);
  await writeFile(join(chat.work, "go"), "");
  const waiting = await chat.until(/… output is waiting: Enter sends this line, Ctrl-U clears it\n❯ dra$/u);
  assert.doesNotMatch(waiting, /✓/u);
  chat.type("\x15");
  await chat.until("✓");
  await writeFile(join(chat.work, "on"), "");
  const shown = await chat.until(/Second answer\.[^]*❯$/u);
  assert.match(shown, /First answer\.\n.*\n❯ second\nSecond answer\./u);
  assert.doesNotMatch(shown, /output is waiting/u);
});

test("lines pasted without bracketed paste are one prompt", async () => {
  await using chat = await seenChat([{ text: "I see." }]);
  await chat.until(idle);
  chat.type("fix this:\r\tline one\rline two\r");
  await chat.until(/I see\.[^]*❯$/u);
  assert.deepEqual(prompts(chat), ["fix this:\n\tline one\nline two"]);
});

test("at a y/N question, a slash command runs and the question is repeated; other text becomes a prompt", async () => {
  await using chat = await seenChat([{ text: "One." }, { text: "Two." }]);
  await chat.until(idle);
  chat.type("first\r");
  await chat.until(/One\.[^]*❯$/u);
  chat.type("/undo\r");
  await chat.until(/\[y\/N\]$/u);
  chat.type("/status\r");
  await chat.until(/approvals +manual[^]*\[y\/N\]$/u);
  chat.type("no, explain it instead\r");
  await chat.until(/Two\.[^]*❯$/u);
  assert.match(await chat.seen(), /Nothing was undone/u);
  assert.deepEqual(prompts(chat), ["first", "no, explain it instead"]);
});
