import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { pipedPrompts } from "./run-piped-chat.ts";

/** Creates a fake pipe. A number in the list is a pause in milliseconds. */
async function promptsOf(...pieces: readonly (string | number)[]): Promise<readonly string[]> {
  async function* stdin() {
    for (const piece of pieces) {
      if (typeof piece === "number") await pause(piece);
      else yield Buffer.from(piece);
    }
  }
  const prompts: string[] = [];
  for await (const { text, isCommand, isLast } of pipedPrompts({ stdin: stdin() }, new AbortController().signal, 60))
    prompts.push(`${isCommand ? "command" : "prompt"}${isLast ? ", last" : ""}: ${text.trim()}`);
  return prompts;
}

test("a file is one prompt with any number of lines and chunks", async () => {
  assert.deepEqual(await promptsOf("one\ntw", "o\n\nthree"), ["prompt, last: one\ntwo\n\nthree"]);
  assert.deepEqual(await promptsOf("/usr\n/tmp\n"), ["prompt, last: /usr\n/tmp"], "paths are not commands");
  assert.deepEqual(await promptsOf(" \n"), []);
});

test("a line that is a slash command is a separate prompt", async () => {
  assert.deepEqual(await promptsOf("hello\nyou\n/sta", "tus\n/model x\nagain\n/quit"), [
    "prompt: hello\nyou",
    "command: /status",
    "command: /model x",
    "prompt: again",
    "command: /quit",
  ]);
  assert.deepEqual(await promptsOf("/version"), ["command: /version"]);
});

test("every slash command is a separate prompt, even if it is misspelt or not allowed over a pipe", async () => {
  assert.deepEqual(await promptsOf("read this\n/yolo\n/statsu\n/export x.html\nand do it"), [
    "prompt: read this",
    "command: /yolo",
    "command: /statsu",
    "command: /export x.html",
    "prompt, last: and do it",
  ]);
});

test("the time to read a list of paths is proportional to its length", async () => {
  await assertGrowsLinearly(400_000, async (size) => {
    const chunk = "/usr/lib/x /usr\n".repeat(size / 100);
    assert.equal((await promptsOf(...Array.from({ length: 100 }, () => chunk))).length, 1);
  });
});

test("a pause after a complete line ends the prompt; a pause within a line does not", async () => {
  assert.deepEqual(await promptsOf("hello\n", 150, "agai", 150, "n\n"), ["prompt: hello", "prompt, last: again"]);
});

test("an interrupt ends the wait for more input", async () => {
  const controller = new AbortController();
  const silent: AsyncIterable<Uint8Array> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) };
  const next = pipedPrompts({ stdin: silent }, controller.signal).next();
  controller.abort();
  await assert.rejects(next, /Interrupted/u);
});
