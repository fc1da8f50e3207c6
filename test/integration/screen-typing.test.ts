// covers: src/hosts/cli/screen/editor, src/hosts/cli/completion, src/hosts/cli/chat, src/operations/references, src/operations/sessions/shell.ts
import assert from "node:assert/strict";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { screenChat } from "../support/screen-chat.ts";
import { talking } from "../support/talking-program.ts";
import type { RecordedRequest } from "../support/wire-servers/turn.ts";

const answered = { text: "the answer" };
const escape = "\x1b";

/** The last message of a request, as text. */
function lastMessage(request: RecordedRequest | undefined): string {
  const messages = request?.json["messages"];
  return JSON.stringify(Array.isArray(messages) ? messages.at(-1) : undefined);
}

test("the user completes commands and files, pastes text, and refers to files in a prompt", async () => {
  await using chat = await screenChat(() => answered);
  await mkdir(join(chat.work, "src"));
  await writeFile(join(chat.work, "src", "greeting.ts"), "export const greeting = 'hello';\n");
  await chat.until("❯");
  chat.type("/hel");
  await chat.until(/\/help {2,}\S/u);
  chat.type("\x15");
  await chat.untilGone(/\/help {2,}/u);
  chat.type("/busy st");
  await chat.until(/steer[\s\S]*status[\s\S]*\/busy \[/u);
  chat.type("\x15explain @gree");
  await chat.until(/@src\/greeting\.ts +33 B/u);
  chat.type("\t");
  await chat.until("explain @src/greeting.ts");
  chat.type(`${escape}[200~first\nsecond @file:src/greeting.ts\nthird${escape}[201~`);
  await chat.until("[pasted: 3 lines, 40 chars]");
  chat.type("\r");
  await chat.untilWritten("+ @src/greeting.ts (1 line, 33 B)");
  await chat.until("the answer");
  const message = lastMessage(chat.server.requests[0]);
  assert.match(message, /first\\nsecond @file:src\/greeting\.ts\\nthird/u);
  assert.match(message, /Attached by the user: @src\/greeting\.ts \(1 line, 33 B\)\\n1\|export const greeting/u);
  // A reference in a pasted text is text.
  assert.equal(message.match(/Attached by the user/gu)?.length, 1);
  chat.type("look at @file:../outside\r");
  await chat.untilWritten("! @file:../outside is not attached");
});

test("the user runs a command; its output reaches the model only on request", async () => {
  await using chat = await screenChat(() => answered);
  await chat.until("❯");
  chat.type("!echo visible; exit 3\r");
  await chat.untilWritten(/visible\n.*exit code 3/u);
  chat.type("!printf 'beg%s\\n' un; sleep 60\r!echo $((40 + 2))\r");
  await chat.until(/ {2}begun\n⋯ !echo \$\(\(40 \+ 2\)\)\n/u);
  chat.type(escape);
  await chat.untilWritten(/begun\n[^]*exit code 130: stopped[^\n]*\n\n❯ !echo \$\(\(40 \+ 2\)\)\n42$/mu);
  chat.type("!!echo handed over\r");
  await chat.untilWritten("Attached to your next prompt.");
  chat.type("what is it?\r");
  await chat.until("the answer");
  const message = lastMessage(chat.server.requests[0]);
  assert.match(message, /Attached by the user: !echo handed over \(exit code 0\)/u);
  assert.equal(chat.server.requests.length, 1);
  assert.doesNotMatch(message, /visible/u);
});

test("history, search, an external editor, several lines and a stash work in a real terminal", async () => {
  await using chat = await screenChat(() => answered, { env: { VISUAL: "./edit" } });
  await writeFile(join(chat.work, "edit"), '#!/bin/sh\nprintf "from the editor" > "$1"\n');
  await chmod(join(chat.work, "edit"), 0o755);
  await chat.until("❯");
  chat.type("first prompt\r");
  await chat.until("the answer");
  chat.type(`one${escape}\rtwo`);
  await chat.until(/❯ one\n {2}two/u);
  chat.type("\x13");
  await chat.until("Draft put aside");
  chat.type("\x12irst");
  await chat.until(/❯ first prompt\nsearch: irst/u);
  chat.type("\r");
  await chat.untilGone("search:");
  chat.type("\x07");
  await chat.until("❯ from the editor");
  chat.type("\x1f");
  await chat.until("❯ first prompt");
  chat.type(`\x15\x13`);
  await chat.until(/❯ one\n {2}two/u);
  chat.type(escape);
  await chat.until("Press Esc again");
  chat.type(escape);
  await chat.until("Draft moved to the history");
  chat.type(`${escape}[A`);
  await chat.until(/❯ one\n {2}two/u);
});

test("vi keys are optional; -z resolves references and refuses those that are too long", async () => {
  {
    await using chat = await screenChat(() => answered, { settings: { display: { vi_keys: true } } });
    await chat.until("-- INSERT --");
    chat.type(`one two three${escape}`);
    await chat.until("-- NORMAL --");
    chat.type("0dwA!");
    await chat.until(/❯ two three!\n-- INSERT --/u);
  }
  await using place = await talking([answered]);
  await writeFile(join(place.work, "note.txt"), "remember\n");
  const shown = await place.run(["-z", "read @file:note.txt, please"]);
  assert.equal(shown.stdout, "the answer\n");
  assert.match(lastMessage(place.server.requests[0]), /1\|remember/u);
  await writeFile(join(place.work, "big.txt"), `${"x".repeat(99)}\n`.repeat(40_000));
  const refused = await place.run(["-z", "read @file:big.txt"]);
  assert.deepEqual([refused.code, place.server.requests.length], [2, 1]);
  assert.match(refused.stderr, /The references are too long/u);
});

test("the plain chat supports references and ! commands too", async () => {
  await using place = await talking(() => answered);
  await writeFile(join(place.work, "note.txt"), "remember\n");
  const chat = place.terminal(["--cli"]);
  await chat.until("❯");
  chat.type("!echo from the shell; exit 7\r");
  await chat.until(/from the shell[\s\S]*exit code 7/u);
  chat.type("read @file:no\t");
  await chat.until("@file:note.txt");
  chat.type("\r");
  await chat.until("+ @file:note.txt (1 line, 9 B)");
  await chat.until("the answer");
  assert.match(lastMessage(place.server.requests[0]), /1\|remember/u);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
});
