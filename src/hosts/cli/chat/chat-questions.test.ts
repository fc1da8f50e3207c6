import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { err } from "../../../base/result.ts";
import { plainText } from "../../../base/text/ansi.ts";
import type { Form } from "../../../contracts/host/form.ts";
import type { PersonQuestion } from "../../../contracts/host/question.ts";
import { createPaint } from "../paint.ts";
import { chatQuestions } from "./chat-questions.ts";
import { openLineEditor } from "./typing/line-editor.ts";

const { signal } = new AbortController();
const optional = { text: "How did it go?", choices: [{ label: "Well" }, { label: "Badly" }], isOptional: true };

/** Questions at a fake input line that the test types into. */
function asking({ hasMenus = true }: { readonly hasMenus?: boolean } = {}) {
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
    { columns: () => 80, rows: () => 24, hasMenus },
  );
  return {
    asker,
    heard: lines,
    type: (keys: string) => hear?.(Buffer.from(keys)),
    /** Waits until a question accepts answers. */
    async settle() {
      await pause(0);
      clock.advance(400);
      await pause(0);
    },
    pass: (ms: number) => clock.advance(ms),
    raw: () => written,
    shown: () => written.includes(optional.text),
    screen: () => plainText(written),
    [Symbol.dispose]: () => editor[Symbol.dispose](),
  };
}

test("an optional question waits while the user types, and uses none of the keys", async () => {
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
  assert.deepEqual(await answered(optional, [`${down}${down}\r`]), { ok: true, value: ["Badly"] });
  using at = asking();
  const both = [at.asker.ask(optional, signal), at.asker.ask(optional, signal)];
  await at.settle();
  at.type("2\r");
  assert.deepEqual(await both[0], { ok: true, value: ["Badly"] });
  await pause(0);
  at.type("\x03");
  assert.deepEqual(await both[1], { ok: false, error: { reason: "declined" } });
});

const down = "\x1b[B";
const up = "\x1b[A";
const escape = "\x1b";
const database: PersonQuestion = {
  from: "the agent",
  text: "Which database?",
  choices: [{ label: "PostgreSQL", isRecommended: true }, { label: "SQLite" }, { label: "DuckDB, in memory" }],
};
const declined = { ok: false, error: { reason: "declined" } };

/** Asks one question at a new line and types at it. */
async function answered(question: PersonQuestion, keys: readonly string[], hasMenus = true) {
  using at = asking({ hasMenus });
  const answer = at.asker.ask(question, signal);
  await at.settle();
  for (const key of keys) {
    at.type(key);
    // An escape character counts as the Escape key if nothing follows it.
    at.pass(50);
    await pause(0);
  }
  return answer;
}

test("arrow keys, numbers, labels and free text answer a question; Escape, Ctrl-C and Ctrl-D decline it", async () => {
  for (const [keys, value] of [
    [["\r"], ["PostgreSQL"]],
    [[down, "\r"], ["SQLite"]],
    [[up, "\r"], ["DuckDB, in memory"]],
    [[`${down}${down}${down}\r`], ["PostgreSQL"]],
    [["2\r"], ["SQLite"]],
    [["sqlite\r"], ["SQLite"]],
    [["2 of them\r"], ["2 of them"]],
    [["the ", "old one\r"], ["the old one"]],
    [["oops", escape, down, "\r"], ["SQLite"]],
    [["\x1b[200~pasted\nlines\x1b[201~", "\r"], ["pasted"]],
    [["größer\r"], ["größer"]],
  ] as const)
    assert.deepEqual(await answered(database, keys), { ok: true, value }, JSON.stringify(keys));
  for (const keys of [[escape], ["\x03"], ["\x04"], ["text", "\x03"], ["text", escape, escape]])
    assert.deepEqual(await answered(database, keys), declined, JSON.stringify(keys));
});

test("several choices are marked with the space bar or numbers, and free text is added", async () => {
  const question = { ...database, hasSeveral: true };
  for (const [keys, value] of [
    [
      [" ", down, down, " ", "\r"],
      ["PostgreSQL", "DuckDB, in memory"],
    ],
    [["1, 3\r"], ["PostgreSQL", "DuckDB, in memory"]],
    [["31\r"], ["PostgreSQL", "DuckDB, in memory"]],
    [["1", "1", "2", "\r"], ["SQLite"]],
    [["\r", "2\r"], ["SQLite"]],
    [
      ["1", "and a cache\r"],
      ["PostgreSQL", "and a cache"],
    ],
  ] as const)
    assert.deepEqual(await answered(question, keys), { ok: true, value }, JSON.stringify(keys));
});

test("without free text, a line that names no choice is refused, and the question stays open", async () => {
  const question = { ...database, allowsText: false };
  assert.deepEqual(await answered(question, ["MySQL\r", escape, "3\r"]), { ok: true, value: ["DuckDB, in memory"] });
  assert.deepEqual(await answered(question, ["MySQL\r", "2\r"], false), { ok: true, value: ["SQLite"] });
});

test("a terminal that cannot redraw shows a numbered list and reads a line", async () => {
  assert.deepEqual(await answered(database, ["2\r"], false), { ok: true, value: ["SQLite"] });
  assert.deepEqual(await answered({ ...database, hasSeveral: true }, ["1,2\r"], false), {
    ok: true,
    value: ["PostgreSQL", "SQLite"],
  });
  assert.deepEqual(await answered(database, ["neither\r"], false), { ok: true, value: ["neither"] });
  assert.deepEqual(await answered(database, ["\r"], false), declined);
});

test("keys typed just before the question do not answer it and stay in the line; an early Ctrl-C stops the turn", async () => {
  using at = asking();
  const answer = at.asker.ask(database, signal);
  await pause(0);
  at.type("also fix the docs\r\x03");
  await at.settle();
  at.pass(400);
  await pause(0);
  at.type("\r");
  assert.deepEqual(await answer, { ok: true, value: ["PostgreSQL"] });
  await pause(0);
  at.type(" now\r");
  assert.deepEqual(at.heard, ["^C", "also fix the docs now"]);
});

test("a withdrawn question leaves typed text in the line; after a command the question is shown again", async () => {
  using at = asking();
  const stop = new AbortController();
  const answer = at.asker.ask(database, stop.signal);
  await at.settle();
  at.type("the one that");
  stop.abort(new DOMException("nobody answered within 2 min", "TimeoutError"));
  assert.deepEqual(await answer, { ok: false, error: { reason: "aborted" } });
  assert.match(at.screen(), /\(nobody answered within 2 min\)/u);
  at.type(" we use\r");
  assert.deepEqual(at.heard, ["the one that we use"]);
  const next = at.asker.ask(database, signal);
  await at.settle();
  at.type("/status\r");
  await pause(0);
  at.type("\r");
  assert.deepEqual(await next, { ok: true, value: ["PostgreSQL"] });
  assert.deepEqual(at.heard.at(-1), "prompt /status");
});

test("untrusted text reaches the terminal without controls, and no line of it can imitate a question", async () => {
  using at = asking();
  const hostile = "\x1b]0;title\x07\x1b[2Jgone\nApproval needed for terminal\u202e";
  const question = { from: "the agent", text: hostile, choices: [{ label: hostile, description: hostile }] };
  const answer = at.asker.ask(question, signal);
  await at.settle();
  at.type(escape);
  at.pass(50);
  await answer;
  // oxlint-disable-next-line no-control-regex -- escape sequences are what it looks for
  assert.doesNotMatch(at.raw(), /\x1b\]|\x1b\[2J|\x07|\u202e/u);
  assert.doesNotMatch(at.screen(), /^Approval needed/mu);
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

/** Types one answer after another, each when its question accepts keys. */
async function answerForm(chat: ReturnType<typeof asking>, form: Form, answers: readonly string[]) {
  const filled = chat.asker.fillIn(form, signal);
  await chat.settle();
  for (const answer of answers) {
    chat.type(`${answer}\r`);
    await pause(0);
  }
  return filled;
}

test("a form asks field by field: invalid values are asked again, Enter accepts defaults, and all values are shown before sending", async () => {
  using at = asking();
  const filled = await answerForm(at, trip, ["x", "", "Oslo", "0", "", "", "2, breakfast", "s"]);
  assert.deepEqual(filled, { ok: true, value: { city: "Oslo", nights: 2, meals: ["b", "d"] } });
  const screen = at.screen();
  assert.match(screen, /Question of the MCP server travel:/u);
  assert.match(screen, /│ Approval needed \\x1b\[31mfor/u);
  for (const fault of [/needs at least 2 characters/u, /a value is needed/u, /at least 1/u])
    assert.match(screen, fault);
  assert.match(screen, /City: Oslo\r?\n\s+nights: 2\r?\n\s+note: \(none\)\r?\n\s+meals: Breakfast, Dinner/u);
  assert.deepEqual(at.heard, []);
});

test("arrows choose values in a form, defaults are marked, and Escape closes the form", async () => {
  const size: Form = {
    from: "the MCP server shop",
    text: "Which one?",
    fields: [
      {
        kind: "choice",
        name: "size",
        isRequired: true,
        hasSeveral: false,
        default: "m",
        choices: [
          { value: "s", title: "Small" },
          { value: "m", title: "Medium" },
          { value: "l", title: "Large" },
        ],
      },
      { kind: "yes_no", name: "gift", isRequired: true },
    ],
  };
  for (const [keys, outcome] of [
    [["\r", `${down}${down}\r`, "s\r"], { ok: true, value: { size: "m", gift: false } }],
    [[`${down}\r`, `${down}\r`, "s\r"], { ok: true, value: { size: "l", gift: true } }],
    [["small\r", "y\r", "s\r"], { ok: true, value: { size: "s", gift: true } }],
    [["\r", "\r", "1\r", "s\r"], { ok: true, value: { size: "m", gift: true } }],
    [[escape], { ok: false, error: { reason: "cancelled" } }],
  ] as const) {
    using at = asking();
    const filled = at.asker.fillIn(size, signal);
    await at.settle();
    for (const key of keys) {
      at.type(key);
      at.pass(50);
      await pause(0);
    }
    assert.deepEqual(await filled, outcome);
  }
});

test("a form can be declined, cancelled and filled in again; other commands run, and the form is shown again", async () => {
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

test("a URL is shown with its host, and only an explicit yes accepts it", async () => {
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
