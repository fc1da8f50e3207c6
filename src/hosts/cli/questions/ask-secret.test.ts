import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../../base/result.ts";
import type { CliIo } from "../command.ts";
import { secretAskerAt } from "./ask-secret.ts";

function terminalTyping(chunks: readonly string[], isTerminal = true) {
  const shown: string[] = [];
  const hidden: boolean[] = [];
  const io: CliIo = {
    stdin: (async function* () {
      for (const chunk of chunks) yield Buffer.from(chunk);
    })(),
    stdinIsTerminal: isTerminal,
    stdoutIsTerminal: true,
    columns: 80,
    rows: 40,
    write: async (text) => void shown.push(text),
    warn: (text) => void shown.push(text),
    hideTyping: (on) => void hidden.push(on),
  };
  return { shown, hidden, ask: secretAskerAt(io) };
}

const signal = new AbortController().signal;

test("the typed text is the answer and never shown; erasing removes whole characters", async () => {
  const { ask, shown, hidden } = terminalTyping(["pä", "é\x7fß\x7fx", "\r"]);
  assert.deepEqual(await ask?.askSecret("NAME", "Password", signal), ok("päx"));
  assert.deepEqual({ shown, hidden }, { shown: ["Password: ", "\n"], hidden: [true, false] });
});

test("Ctrl-D and the end of input decline, Ctrl-C aborts", async () => {
  for (const [typed, reason] of [
    ["ab\x03", "aborted"],
    ["\x04", "declined"],
    ["half", "declined"],
  ] as const) {
    assert.deepEqual(await terminalTyping([typed]).ask?.askSecret("NAME", "?", signal), err({ reason }));
  }
});

test("without a terminal no question is possible", () => {
  assert.equal(terminalTyping([], false).ask, undefined);
});
