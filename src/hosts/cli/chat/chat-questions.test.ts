import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { err } from "../../../base/result.ts";
import { createPaint } from "../paint.ts";
import { chatQuestions } from "./chat-questions.ts";
import { openLineEditor } from "./typing/line-editor.ts";

const { signal } = new AbortController();
const optional = { text: "How did it go?", choices: ["Well", "Badly"], isOptional: true };

/** Questions at a line that a test types at. */
function asking() {
  const clock = fakeClock();
  let hear: ((bytes: Uint8Array) => void) | undefined;
  let written = "";
  const lines: string[] = [];
  const editor = openLineEditor({
    keys(listen) {
      hear = listen;
      return { [Symbol.dispose]: () => void (hear = undefined) };
    },
    write: (text) => void (written += text),
    columns: () => 80,
    rows: () => 24,
    clock,
    prompt: "> ",
    history: [],
    complete: () => [],
    heard: {
      input: (text) => lines.push(text),
      remember() {},
      interrupt: () => lines.push("^C"),
      end: () => lines.push("^D"),
    },
  });
  editor.setBusy(false);
  const { asker } = chatQuestions(
    () => editor,
    createPaint(false),
    (line) => void lines.push(`prompt ${line}`),
    async () => err({ message: "no rule is tried here" }),
  );
  return {
    asker,
    heard: lines,
    type: (keys: string) => hear?.(Buffer.from(keys)),
    /** Until a question takes answers. */
    async settle() {
      await pause(0);
      clock.advance(400);
      await pause(0);
    },
    shown: () => written.includes(optional.text),
    [Symbol.dispose]: () => editor[Symbol.dispose](),
  };
}

test("an optional question waits while the user types, and consumes no key", async () => {
  using at = asking();
  at.type("now fi");
  assert.deepEqual(await at.asker.ask(optional, signal), { ok: false, error: { reason: "declined" } });
  at.type("x the tests\r");
  assert.deepEqual(at.heard, ["now fix the tests"]);
  assert.ok(!at.shown());
});

test("input typed as soon as the question appears is kept, and a line that answers no question is a prompt", async () => {
  for (const line of ["now fix the tests", "/quit"]) {
    using at = asking();
    const answer = at.asker.ask(optional, signal);
    await pause(0);
    assert.ok(at.shown());
    at.type(`${line}\r`);
    assert.deepEqual(await answer, { ok: false, error: { reason: "declined" } });
    assert.deepEqual(at.heard, [line]);
  }
  using at = asking();
  const answer = at.asker.ask(optional, signal);
  await at.settle();
  at.type("now fix the tests\r");
  assert.deepEqual(await answer, { ok: false, error: { reason: "declined" } });
  assert.deepEqual(at.heard, ["prompt now fix the tests"]);
});

test("Ctrl-C, Ctrl-D and Enter skip the question; a number answers it; a second question waits", async () => {
  for (const keys of ["\x03", "wel\x03", "\x04", "\r"]) {
    using at = asking();
    const answer = at.asker.ask(optional, signal);
    await pause(0);
    at.type(keys);
    assert.deepEqual(await answer, { ok: false, error: { reason: "declined" } });
    at.type("next\r");
    assert.deepEqual(at.heard, ["next"]);
  }
  using at = asking();
  const both = [at.asker.ask(optional, signal), at.asker.ask(optional, signal)];
  await at.settle();
  at.type("2\r");
  assert.deepEqual(await both[0], { ok: true, value: ["Badly"] });
  await pause(0);
  at.type("\x03");
  assert.deepEqual(await both[1], { ok: false, error: { reason: "declined" } });
});

test("a question that needs an answer accepts free text, and Ctrl-C is reported", async () => {
  using at = asking();
  const answer = at.asker.ask({ text: "Which?", choices: ["a", "b"] }, signal);
  await at.settle();
  at.type("\x03neither\r");
  assert.deepEqual(await answer, { ok: true, value: ["neither"] });
  assert.deepEqual(at.heard, ["^C"]);
});
