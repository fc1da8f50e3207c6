import assert from "node:assert/strict";
import { test } from "node:test";

import { typedTerminal } from "../../../../test/support/typed-terminal.ts";
import { CommandFailed } from "../command.ts";
import { askLine } from "./ask-line.ts";

test("Ctrl-C at a question ends the command with 130, and its message starts on a new line", async () => {
  const { io, output } = typedTerminal();
  const stop = new AbortController();
  const answer = askLine(io, "Delete it? [y/N] ", stop.signal);
  stop.abort();
  await assert.rejects(answer, new CommandFailed("Interrupted; nothing was changed.", undefined, 130));
  assert.equal(output(), "Delete it? [y/N] \n");
});

test("Ctrl-D at a question is an empty answer, and the next text starts on a new line", async () => {
  const { io, keys, output } = typedTerminal();
  const answer = askLine(io, "Delete it? [y/N] ", new AbortController().signal);
  keys.end();
  assert.equal(await answer, "");
  assert.equal(output(), "Delete it? [y/N] \n");
});
