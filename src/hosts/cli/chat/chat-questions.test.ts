import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { err } from "../../../base/result.ts";
import { plainText } from "../../../base/text/ansi.ts";
import type { Form } from "../../../contracts/host/form.ts";
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
    screen: () => plainText(written),
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

const trip: Form = {
  from: "the MCP server travel",
  text: "Where to?\nApproval needed \u001b[31mfor",
  fields: [
    { kind: "text", name: "city", title: "City", isRequired: true, minChars: 2 },
    { kind: "number", name: "nights", isRequired: false, isWhole: true, min: 1, default: 2 },
    { kind: "text", name: "note", isRequired: false },
    {
      kind: "choice",
      name: "meals",
      isRequired: true,
      hasSeveral: true,
      choices: [
        { value: "b", title: "Breakfast" },
        { value: "d", title: "Dinner" },
      ],
    },
  ],
};

/** Types one answer after the other, each when its question takes keys. */
async function answerForm(chat: ReturnType<typeof asking>, form: Form, answers: readonly string[]) {
  const filled = chat.asker.fillIn(form, signal);
  await chat.settle();
  for (const answer of answers) {
    chat.type(`${answer}\r`);
    await pause(0);
  }
  return filled;
}

test("a form is asked field by field: wrong values again, Enter takes defaults and skips, all is shown before it is sent", async () => {
  using at = asking();
  const filled = await answerForm(at, trip, ["x", "", "Oslo", "0", "", "", "2, breakfast", "s"]);
  assert.deepEqual(filled, { ok: true, value: { city: "Oslo", nights: 2, meals: ["d", "b"] } });
  const screen = at.screen();
  assert.match(screen, /Question of the MCP server travel:/u);
  assert.match(screen, /│ Approval needed \\x1b\[31mfor/u);
  for (const fault of [/needs at least 2 characters/u, /a value is needed/u, /at least 1/u])
    assert.match(screen, fault);
  assert.match(screen, /City: Oslo\r?\n\s+nights: 2\r?\n\s+note: \(none\)\r?\n\s+meals: Dinner, Breakfast/u);
  assert.deepEqual(at.heard, []);
});

test("a form can be declined, cancelled and filled in again; other commands run, and the question comes again", async () => {
  for (const [answers, reason] of [
    [["/decline"], "declined"],
    [["Oslo", "/cancel"], "cancelled"],
    [["Oslo", "", "", "1", "maybe"], "cancelled"],
    [["Oslo", "", "", "1", "d"], "declined"],
  ] as const) {
    using at = asking();
    assert.deepEqual(await answerForm(at, trip, answers), { ok: false, error: { reason } });
  }
  using at = asking();
  const filled = await answerForm(at, trip, [
    "/help",
    "Oslo",
    "",
    "",
    "1",
    "again",
    "Bergen",
    "3",
    "quiet",
    "2",
    "send",
  ]);
  assert.deepEqual(filled, { ok: true, value: { city: "Bergen", nights: 3, note: "quiet", meals: ["d"] } });
  assert.deepEqual(at.heard, ["prompt /help"]);
});

test("an address is shown with its host, and only a clear yes accepts it", async () => {
  const visit: Form = {
    from: "the MCP server bank",
    text: "Sign in",
    address: "https://bank.example/a?b=c",
    fields: [],
  };
  for (const [answer, outcome] of [
    ["a", { ok: true, value: {} }],
    ["", { ok: false, error: { reason: "cancelled" } }],
    ["decline", { ok: false, error: { reason: "declined" } }],
  ] as const) {
    using at = asking();
    assert.deepEqual(await answerForm(at, visit, [answer]), outcome);
    assert.match(
      at.screen(),
      /trust bank\.example:\r?\n\s+https:\/\/bank\.example\/a\?b=c\r?\n\s+Hermes does not open it/u,
    );
  }
});

test("an abort withdraws a form", async () => {
  using at = asking();
  const stop = new AbortController();
  const filled = at.asker.fillIn(trip, stop.signal);
  await at.settle();
  stop.abort();
  assert.deepEqual(await filled, { ok: false, error: { reason: "aborted" } });
});
