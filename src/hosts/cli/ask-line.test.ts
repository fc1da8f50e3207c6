import assert from "node:assert/strict";
import { test } from "node:test";

import { createChannel } from "../../base/async/channel.ts";
import { askLine } from "./ask-line.ts";
import { type CliIo, CommandFailed } from "./command.ts";

function terminal() {
  const keys = createChannel<Uint8Array>();
  let output = "";
  const io: CliIo = {
    stdin: keys,
    stdinIsTerminal: true,
    stdoutIsTerminal: true,
    columns: 80,
    rows: 40,
    async write() {},
    warn: (text) => void (output += text),
    hideTyping() {},
  };
  return { io, keys, output: () => output };
}

test("Ctrl-C at a question ends the command with 130, and its message starts on a new line", async () => {
  const { io, output } = terminal();
  const stop = new AbortController();
  const answer = askLine(io, "Delete it? [y/N] ", stop.signal);
  stop.abort();
  await assert.rejects(answer, new CommandFailed("Interrupted; nothing was changed.", undefined, 130));
  assert.equal(output(), "Delete it? [y/N] \n");
});

test("Ctrl-D at a question is an empty answer, and the next text starts on a new line", async () => {
  const { io, keys, output } = terminal();
  const answer = askLine(io, "Delete it? [y/N] ", new AbortController().signal);
  keys.end();
  assert.equal(await answer, "");
  assert.equal(output(), "Delete it? [y/N] \n");
});
