// covers: src/hosts/cli/screen, src/hosts/cli/markdown, src/hosts/cli/chat/feed
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../support/eventually.ts";
import { screenChat } from "../support/screen-chat.ts";

const call = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
const lines = (count: number, word: string) => Array.from({ length: count }, (_, index) => `${word} ${index + 1}`);

/** The text of the answers that are being written. */
function draftOf(home: string): string {
  const folder = join(home, "session-locks");
  const names = readdirSync(folder).filter((name) => name.endsWith(".draft"));
  return names.map((name) => readFileSync(join(folder, name), "utf8")).join("");
}

for (const columns of [40, 80, 200])
  test(`at ${columns} columns a resize in the middle of a stream neither loses nor repeats a finished line`, async () => {
    const pieces = lines(120, "- entry number").flatMap((line) => [line.slice(0, 9), `${line.slice(9)}\n`]);
    // The stream pauses between its parts, so that no bytes for the old width are in transit during a resize.
    const fault = { chunkBytes: 12_000, dripMs: 1_200 };
    await using chat = await screenChat([{ text: pieces, fault }], { columns, rows: 16 });
    await chat.until("❯");
    chat.type("list them\r");
    await chat.untilWritten("entry number 20\n");
    chat.resize(columns - 9, 12);
    await chat.untilWritten("entry number 60");
    chat.resize(columns + 7, 20);
    await chat.untilWritten("entry number 120");
    chat.type("\x04");
    assert.equal(await chat.code, 0);
    const written = await chat.everything();
    const numbers = [...written.matchAll(/entry number (?<number>\d+)$/gmu)].map(({ groups }) =>
      Number(groups?.["number"]),
    );
    assert.deepEqual(
      numbers,
      Array.from({ length: 120 }, (_, index) => index + 1),
    );
    assert.equal(written.match(/list them/gu)?.length, 1);
  });

test("the user types, pastes, interrupts, denies, approves and exits", async () => {
  const endless = { text: lines(4_000, "word"), fault: { chunkBytes: 300, dripMs: 20 } };
  await using chat = await screenChat(
    [
      { text: "Read." },
      endless,
      call("rm -rf old"),
      { text: "Not removed." },
      call("rm -rf old"),
      { text: "Removed." },
    ],
    { settings: { isolation: { mode: "off" } } },
  );
  mkdirSync(join(chat.work, "old"));
  await chat.until("❯");
  chat.type("\x1b[200~first line\nsecond line\nthird line\x1b[201~ and more\r");
  await chat.untilWritten("Read.");
  const messages = chat.server.requests[0]?.json["messages"];
  assert.deepEqual(Array.isArray(messages) && messages.at(-1), {
    role: "user",
    content: "first line\nsecond line\nthird line and more",
  });
  chat.type("count\r");
  await chat.untilWritten("word 20");
  chat.type("\x1b");
  await chat.untilWritten("stopped");
  chat.type("\x15remove it\r");
  // A bare Enter denies.
  await chat.until(/Approval needed[^]*❯ .*Deny/u);
  chat.type("\r");
  await chat.untilWritten("Not removed.");
  chat.type("remove it now\r");
  await chat.until(/Approval needed[^]*❯ .*Deny/u);
  chat.type("o");
  await chat.untilWritten("Removed.");
  assert.equal(existsSync(join(chat.work, "old")), false);
  // Keys that came after the answer are in the prompt.
  chat.type("\x15\x04");
  assert.equal(await chat.code, 0);
  assert.match(await chat.everything(), /Resume: hermes -r \S+/u);
  assert.deepEqual((await chat.emulator.modes()).bracketedPaste, false, "the terminal is restored");
});

test("after kill -9 the conversation resumes with all answers so far, and the terminal works", async () => {
  await using chat = await screenChat([
    { text: "The code word is heron." },
    call("until [ -e go ]; do sleep 0.05; done"),
    { text: "Resumed well." },
  ]);
  await chat.until("❯");
  chat.type("say it\r");
  await chat.untilWritten("heron.");
  chat.type("wait\r");
  await chat.until("until [ -e go ]");
  chat.kill("SIGKILL");
  await chat.code;
  await using again = chat.again(["--continue"]);
  await again.until("❯");
  await again.untilWritten("The code word is heron.");
  again.type("and now?\r");
  await again.untilWritten("Resumed well.");
  again.type("/branch other\r");
  await again.untilWritten("other");
  again.type("/quit\r");
  assert.equal(await again.code, 0);
});

test("after kill -9 in the middle of an answer, its text so far is restored as an interrupted answer", async () => {
  const endless = { text: lines(4_000, "word"), fault: { chunkBytes: 300, dripMs: 20 } };
  await using chat = await screenChat([endless, { text: "Going on." }]);
  await chat.until("❯");
  chat.type("count\r");
  await chat.untilWritten("word 40");
  await eventually(() => draftOf(chat.home).includes("word 40"));
  chat.kill("SIGKILL");
  await chat.code;
  await using again = chat.again(["--continue"]);
  await again.untilWritten("(incomplete)");
  await again.untilWritten("The last answer is incomplete");
  again.type("go on\r");
  await again.untilWritten("Going on.");
  const messages = chat.server.requests.at(-1)?.json["messages"];
  assert.ok(Array.isArray(messages));
  assert.deepEqual(
    messages.map((message) => message.role),
    ["system", "user", "assistant", "user"],
  );
  assert.match(JSON.stringify(messages[2]), /word 1word 2word 3.*word 40/u);
  again.type("/quit\r");
  assert.equal(await again.code, 0);
  assert.equal(draftOf(chat.home), "");
});

test("the full screen uses neither the alternate screen nor the mouse, and NO_COLOR means no colour", async () => {
  await using chat = await screenChat([{ text: "**bold** `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" }], {
    env: { NO_COLOR: "1" },
  });
  await chat.until("❯");
  chat.type("show\r");
  await chat.untilWritten(/1 +│? *2/u);
  const { isAlternate, mouse } = await chat.emulator.modes();
  assert.deepEqual({ isAlternate, mouse }, { isAlternate: false, mouse: false });
  const cells = (await chat.emulator.cells()).flat();
  assert.ok(cells.every(({ color, background }) => color === undefined && background === undefined));
  // oxlint-disable-next-line no-control-regex -- their absence is the claim
  assert.doesNotMatch(chat.raw(), /\x1b\[(?:[34]\d|38|48)[;\dm]/u);
});

test("commands typed with ! run immediately, through the same policy; instructions for the model are not shown", async () => {
  await using chat = await screenChat([{ text: "AGENTS.md is there." }]);
  await chat.until("❯");
  chat.type("!touch made-by-me && echo it-ran\r");
  await chat.untilWritten(/^it-ran$/mu);
  await eventually(() => existsSync(join(chat.work, "made-by-me")));
  assert.equal(chat.server.requests.length, 0);
  chat.type("!echo again\r");
  await chat.untilWritten(/^it-ran\n(?:.* s\n)?\n❯ !echo again\nagain$/mu);
  chat.type("/init keep it short\r");
  await chat.untilWritten("AGENTS.md is there.");
  assert.match(JSON.stringify(chat.server.requests[0]?.json), /Look around: README[^]*keep it short/u);
  assert.match(await chat.everything(), /^❯ \/init keep it short\n\nAGENTS\.md is there\.$/mu);
});

test("a prompt typed while the chat changes to a new session goes to the new session", async () => {
  await using chat = await screenChat([{ text: "First." }, { text: "Second." }]);
  await chat.until("❯");
  chat.type("one\r");
  await chat.untilWritten("First.");
  chat.type("/new now\rtwo\r");
  await chat.untilWritten("Second.");
  const messages = chat.server.requests[1]?.json["messages"];
  assert.ok(Array.isArray(messages));
  assert.doesNotMatch(JSON.stringify(messages), /"one"|First\./u);
});
