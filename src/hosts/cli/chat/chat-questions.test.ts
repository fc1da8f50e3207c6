import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { createPaint } from "../paint.ts";
import { chatQuestions } from "./chat-questions.ts";
import { openLineEditor } from "./line-editor.ts";

const { signal } = new AbortController();
const optional = { text: "How did it go?", choices: ["Well", "Badly"], isOptional: true };

/** Questions at a line that a test types at. */
function asking() {
  const clock = fakeClock();
  let hear: ((bytes: Uint8Array) => void) | undefined;
  let written = "";
  const heard: string[] = [];
  const editor = openLineEditor({
    keys(listen) {
      hear = listen;
      return { [Symbol.dispose]: () => void (hear = undefined) };
    },
    write: (text) => void (written += text),
    columns: () => 80,
    clock,
    prompt: "> ",
    history: [],
    complete: () => [],
    heard: {
      input: (text) => heard.push(text),
      remember() {},
      interrupt: () => heard.push("^C"),
      end: () => heard.push("^D"),
    },
  });
  editor.setBusy(false);
  const { asker } = chatQuestions(
    () => editor,
    createPaint(false),
    (line) => void heard.push(`heard ${line}`),
  );
  return {
    asker,
    heard,
    type: (keys: string) => hear?.(Buffer.from(keys)),
    /** Until a question takes answers. */
    async settle() {
      await pause(0);
      clock.advance(100);
      await pause(0);
    },
    shown: () => written.includes(optional.text),
    [Symbol.dispose]: () => editor[Symbol.dispose](),
  };
}

test("a question that nobody has to answer is not asked while the person types, and takes no key away", async () => {
  using at = asking();
  at.type("now fi");
  assert.deepEqual(await at.asker.ask(optional, signal), { ok: false, error: { reason: "declined" } });
  at.type("x the tests\r");
  assert.deepEqual(at.heard, ["now fix the tests"]);
  assert.ok(!at.shown());
});

test("what is typed as soon as it appears is not lost, and a line that answers nothing is heard like any other", async () => {
  for (const line of ["now fix the tests", "/quit"]) {
    using at = asking();
    const asked = at.asker.ask(optional, signal);
    await pause(0);
    assert.ok(at.shown());
    at.type(`${line}\r`);
    assert.deepEqual(await asked, { ok: false, error: { reason: "declined" } });
    assert.deepEqual(at.heard, [`heard ${line}`]);
  }
});

test("Ctrl-C, Ctrl-D and Enter skip it; a number answers it; a second one waits for the first", async () => {
  for (const keys of ["\x03", "wel\x03", "\x04", "\r"]) {
    using at = asking();
    const asked = at.asker.ask(optional, signal);
    await pause(0);
    at.type(keys);
    assert.deepEqual(await asked, { ok: false, error: { reason: "declined" } });
    at.type("next\r");
    assert.deepEqual(at.heard, ["next"]);
  }
  using at = asking();
  const both = [at.asker.ask(optional, signal), at.asker.ask(optional, signal)];
  await pause(0);
  at.type("2\r");
  assert.deepEqual(await both[0], { ok: true, value: ["Badly"] });
  await pause(0);
  at.type("\x03");
  assert.deepEqual(await both[1], { ok: false, error: { reason: "declined" } });
});

test("one that is asked for an answer takes words of the person's own, and Ctrl-C is told", async () => {
  using at = asking();
  const asked = at.asker.ask({ text: "Which?", choices: ["a", "b"] }, signal);
  await at.settle();
  at.type("\x03neither\r");
  assert.deepEqual(await asked, { ok: true, value: ["neither"] });
  assert.deepEqual(at.heard, ["^C"]);
});
