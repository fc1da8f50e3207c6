// covers: src/hosts/cli/screen, src/hosts/cli/chat/feed, src/kernel/loop/verification.ts, src/providers/client
import assert from "node:assert/strict";
import { test } from "node:test";

import { screenChat, screenOf } from "../support/screen-chat.ts";
import { program, talking } from "../support/talking-program.ts";

test("a stream that stalls shows that the model is silent; Esc keeps the words", async () => {
  const text = "word ".repeat(200);
  await using chat = await screenChat([{ text: [text.slice(0, 300), text.slice(300)], fault: { hangAfter: 1_200 } }]);
  await chat.until("❯");
  chat.type("tell me\r");
  await chat.until(/word word[^]*waiting for custom\/m1 … [3-9] s · Esc interrupts/u);
  chat.type("\x1b");
  await chat.untilWritten("stopped");
  assert.doesNotMatch(await chat.everything(), /waiting for/u);
});

test("retries count in one line; the error is written once, and /retry sends the prompt again", async () => {
  const busy = { error: { status: 500, message: "the engine is on fire" } };
  await using chat = await screenChat([busy, busy, busy, busy, { text: "It works again." }]);
  await chat.until("❯");
  chat.type("hello\r");
  await chat.until(/↻ [^]*retrying in \d+ s \(1 of 3\)/u);
  await chat.until("To send the prompt again: /retry");
  const everything = await chat.everything();
  assert.doesNotMatch(everything, /↻/u);
  assert.equal(everything.match(/the engine is on fire/gu)?.length, 1, everything);
  chat.type("/retry\r");
  await chat.until("It works again.");
});

test("a failed write is reported by its call, and named once after the answer", async () => {
  const args = { path: "notes.txt/deeper.txt", content: "x" };
  await using chat = await screenChat([
    { calls: [{ name: "write_file", args: { path: "notes.txt", content: "x" } }] },
    { calls: [{ name: "write_file", args }] },
    { text: "I wrote it." },
  ]);
  await chat.until("❯");
  chat.type("write\r");
  await chat.until(/I wrote it\.[^]*⚠ 1 file was not written: \S*deeper\.txt/u);
  assert.doesNotMatch(await chat.everything(), /could not be changed/u);
});

test("the plain chat shows retries, a stalled answer and a failed write in the same words", async () => {
  const busy = { error: { status: 500, message: "the engine is on fire" } };
  const text = "word ".repeat(200);
  await using at = await talking([
    busy,
    busy,
    busy,
    busy,
    { text: [text.slice(0, 300), text.slice(300)], fault: { hangAfter: 1_200 } },
    { calls: [{ name: "write_file", args: { path: "notes.txt", content: "x" } }] },
    { calls: [{ name: "write_file", args: { path: "notes.txt/deeper.txt", content: "x" } }] },
    { text: "I wrote it." },
  ]);
  await using chat = screenOf([process.execPath, program, "--cli"], { cwd: at.work, env: at.env });
  await chat.until("❯");
  chat.type("hello\r");
  await chat.until(/↻ [^]*retrying in \d+ s \(1 of 3\)/u);
  await chat.until(/To send the prompt again: \/retry\n[^]*\n❯$/u);
  assert.doesNotMatch(await chat.everything(), /↻/u);
  chat.type("/retry\r");
  await chat.until(/◌ waiting for custom\/m1, [3-9] s so far; Ctrl-C stops it …$/mu);
  chat.type("\x03");
  await chat.until(/\nstopped\n[^]*\n❯$/u);
  chat.type("write\r");
  await chat.until(/I wrote it\.\n⚠ 1 file was not written: notes\.txt\/deeper\.txt\n/u);
  assert.doesNotMatch(await chat.everything(), /could not be changed|waiting for/u);
});
