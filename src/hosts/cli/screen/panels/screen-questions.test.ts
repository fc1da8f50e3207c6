import assert from "node:assert/strict";
import { test } from "node:test";

import { panelRig } from "../../../../../test/support/panel-rig.ts";
import { err, ok } from "../../../../base/result.ts";
import type { Form } from "../../../../contracts/host/form.ts";
import type { PersonQuestion } from "../../../../contracts/host/question.ts";
import type { KeyPress, Space } from "../parts.ts";
import { screenQuestions } from "./screen-questions.ts";

function questionRig(space?: Space) {
  const rig = panelRig(space);
  const notes: string[] = [];
  const drafted: KeyPress[] = [];
  const stop = new AbortController();
  const saved: string[] = [];
  let hasDraft = false;
  const questions = screenQuestions({
    ...rig,
    note: (line) => void notes.push(line),
    tryRule: async () => err({ message: "not tested here" }),
    draft: { isEmpty: () => !hasDraft, press: (key) => void drafted.push(key) },
    stopConfirming: async () => void saved.push("approvals.destructive_slash_confirm"),
  });
  return {
    ...rig,
    ...questions,
    notes,
    drafted,
    saved,
    stop,
    startDraft: () => void (hasDraft = true),
    ask: (question: PersonQuestion) => questions.asker.ask(question, stop.signal),
    fillIn: (form: Form) => questions.asker.fillIn(form, stop.signal),
  };
}

const which: PersonQuestion = {
  from: "the agent",
  text: "Which database?",
  choices: [
    { label: "SQLite", description: "one file", isRecommended: true },
    { label: "PostgreSQL" },
    { label: "MySQL" },
  ],
};

const sizes: readonly Space[] = [
  { columns: 40, rows: 8 },
  { columns: 80, rows: 22 },
  { columns: 200, rows: 48 },
];

for (const space of sizes) {
  test(`a question with choices fits into ${space.columns}x${space.rows}`, () => {
    const rig = questionRig(space);
    void rig.ask({ ...which, timeoutMs: 121_000 });
    rig.ready();
    assert.match(rig.text(), /Question from the agent/u);
    assert.match(rig.text(), / {2}│ Which database\?\n ❯ 1\. SQLite \(recommended\)\n {6}one file/u);
    assert.match(rig.text(), /> or type your own answer/u);
    if (space.columns > 50) assert.match(rig.text(), /2 min left/u);
  });
}

for (const [keys, answer] of [
  [["enter"], ["SQLite"]],
  [["down", "enter"], ["PostgreSQL"]],
  [["3"], ["MySQL"]],
  [["up", "up", "enter"], ["MySQL"]],
  [["n", "o", "n", "e", "enter"], ["none"]],
  [["up", "3", "space", "4", "enter"], ["3 4"]],
] as const) {
  test(`${keys.join(" ")} answers ${answer.join()}`, async () => {
    const rig = questionRig();
    const result = rig.ask(which);
    rig.ready();
    rig.press(...keys);
    assert.deepEqual(await result, ok(answer));
    assert.deepEqual(rig.notes, [`Answered: ${answer.join(", ")}`]);
  });
}

test("a number in a text that arrives at once is part of the answer", async () => {
  const rig = questionRig();
  const result = rig.ask(which);
  rig.ready();
  for (const text of "2 of them") rig.panels.current?.press({ chord: text, text, isBurst: true });
  rig.press("enter");
  assert.deepEqual(await result, ok(["2 of them"]));
});

test("several choices are marked with the space bar and numbers, and free text can be added", async () => {
  const rig = questionRig();
  const result = rig.ask({ ...which, hasSeveral: true });
  rig.ready();
  rig.press("enter");
  assert.match(rig.text(), /Mark at least one/u);
  rig.press("space", "3", "down");
  rig.type("and Redis");
  assert.match(rig.text(), /\[x\] SQLite.*\[ \] PostgreSQL.*\[x\] MySQL.*> and Redis/su);
  rig.press("enter");
  assert.deepEqual(await result, ok(["SQLite", "MySQL", "and Redis"]));
});

test("without free text only a choice answers; the tenth choice has the key 0", async () => {
  const rig = questionRig({ columns: 40, rows: 8 });
  const choices = Array.from({ length: 10 }, (_, index) => ({ label: `choice ${index + 1}` }));
  const result = rig.ask({ text: "Which?", choices, allowsText: false });
  rig.ready();
  assert.match(rig.text(), /more below/u);
  rig.press("x");
  rig.paste("7");
  rig.press("0");
  assert.deepEqual(await result, ok(["choice 10"]));
});

test("Esc declines; a question that ends without an answer says why", async () => {
  const rig = questionRig();
  const declined = rig.ask(which);
  rig.ready();
  rig.press("escape");
  assert.deepEqual(await declined, err({ reason: "declined" }));
  const late = rig.ask({ text: "Name?" });
  rig.stop.abort(new DOMException("late", "TimeoutError"));
  assert.deepEqual(await late, err({ reason: "aborted" }));
  assert.deepEqual(rig.notes, ["✗ Declined to answer", "Nobody answered in time"]);
});

test("an optional question does not interrupt a draft, and closes when the person types", async () => {
  const optional = { text: "How did it go?", choices: [{ label: "well" }, { label: "badly" }], isOptional: true };
  const rig = questionRig();
  const first = rig.ask(optional);
  rig.lines();
  rig.press("1");
  assert.deepEqual(await first, err({ reason: "declined" }), "typed too early to be an answer");
  assert.deepEqual(rig.drafted, [{ chord: "1", text: "1" }]);
  const second = rig.ask(optional);
  rig.ready();
  rig.press("x");
  assert.deepEqual(await second, err({ reason: "declined" }));
  assert.equal(rig.drafted.length, 2);
  const third = rig.ask(optional);
  rig.ready();
  rig.press("2");
  assert.deepEqual(await third, ok(["badly"]));
  rig.startDraft();
  assert.deepEqual(await rig.ask(optional), err({ reason: "declined" }));
});

const form: Form = {
  from: "the MCP server lab",
  text: "Your account",
  fields: [
    { kind: "text", name: "mail", title: "Mail", isRequired: true, format: "email", description: "for receipts" },
    { kind: "number", name: "seats", isRequired: false, isWhole: true, min: 1 },
    { kind: "yes_no", name: "beta", isRequired: true },
    {
      kind: "choice",
      name: "plan",
      isRequired: false,
      hasSeveral: true,
      choices: [
        { value: "a", title: "Alpha" },
        { value: "b", title: "Beta" },
      ],
    },
  ],
};

for (const space of sizes) {
  test(`a form is filled in with Tab and Enter in ${space.columns}x${space.rows}`, async () => {
    const rig = questionRig(space);
    const result = rig.fillIn(form);
    rig.ready();
    assert.match(rig.text(), /❯ Mail/u);
    assert.ok(rig.cursor());
    rig.type("anna");
    rig.press("enter");
    assert.match(rig.text(), /it must be an address/u);
    rig.type("@example.org");
    rig.press("enter");
    rig.type("0");
    rig.press("tab");
    rig.press("shift+tab");
    assert.match(rig.text(), /at least 1/u);
    rig.press("backspace", "3", "enter");
    assert.match(rig.text(), /❯ beta/u);
    rig.press("2");
    rig.press("space", "down", "space", "enter");
    assert.match(rig.text(), /❯Send/u);
    rig.press("enter");
    assert.deepEqual(await result, ok({ mail: "anna@example.org", seats: 3, beta: false, plan: ["a", "b"] }));
  });
}

test("a missing value keeps the form open at its field; Esc and the buttons close it", async () => {
  const rig = questionRig();
  const cancelled = rig.fillIn(form);
  rig.ready();
  rig.press("shift+tab", "s");
  assert.match(rig.text(), /❯ Mail[^]*• a value is needed/u);
  rig.press("escape");
  assert.deepEqual(await cancelled, err({ reason: "cancelled" }));
  const declined = rig.fillIn(form);
  rig.ready();
  rig.press("shift+tab", "right", "enter");
  assert.deepEqual(await declined, err({ reason: "declined" }));
});

test("a URL is shown but never opened, and Enter alone does not accept it", async () => {
  const rig = questionRig({ columns: 40, rows: 9 });
  const consent: Form = { from: "a server", text: "Sign in", address: "https://example.org/x\u202e", fields: [] };
  const first = rig.fillIn(consent);
  rig.ready();
  assert.match(rig.text(), /❯Cancel/u);
  rig.press("enter");
  assert.deepEqual(await first, err({ reason: "cancelled" }));
  const second = rig.fillIn(consent);
  rig.ready();
  rig.press("a");
  assert.deepEqual(await second, ok({}));
});

test("a secret is never drawn and never in a note", async () => {
  const rig = questionRig();
  const secret = rig.secrets.askSecret("API_KEY", "Key of the lab", rig.stop.signal);
  rig.ready();
  rig.paste("sk-hunter2\nrest");
  rig.press("backspace", "3");
  assert.match(rig.text(), /Key of the lab\n ● •{10}\n/u);
  assert.doesNotMatch(rig.text(), /hunter/u);
  rig.press("enter");
  assert.deepEqual(await secret, ok("sk-hunter3"));
  assert.deepEqual(rig.notes, ["✓ API_KEY was entered"]);
  const none = rig.secrets.askSecret("API_KEY", "Key", rig.stop.signal);
  rig.ready();
  rig.press("escape");
  assert.deepEqual(await none, err({ reason: "declined" }));
});

test("a command that loses history offers three answers", async () => {
  const rig = questionRig({ columns: 40, rows: 8 });
  const confirm = () => rig.confirmCommand("Start a new session?", rig.stop.signal);
  for (const [keys, isConfirmed] of [
    [["enter"], false],
    [["escape"], false],
    [["c"], false],
    [["n"], false],
    [["up", "up", "enter"], true],
    [["o"], true],
    [["y"], true],
  ] as const) {
    const answer = confirm();
    rig.ready();
    rig.press(...keys);
    assert.equal(await answer, isConfirmed, keys.join());
  }
  assert.deepEqual(rig.saved, []);
  const always = confirm();
  rig.ready();
  rig.press("a");
  assert.equal(await always, true);
  assert.deepEqual(rig.saved, ["approvals.destructive_slash_confirm"]);
  assert.equal(await confirm(), true, "no longer asked");
});

test("text typed while a question is open does not answer it, and goes to the draft", async () => {
  const rig = questionRig();
  const answer = rig.confirmCommand("Start a new session?", rig.stop.signal);
  rig.ready();
  rig.type("so what");
  assert.deepEqual(rig.early.map(({ text }) => text).join(""), "so what");
  rig.ready();
  rig.press("o");
  assert.equal(await answer, true);
});

test("hostile text in questions and forms cannot draw on the screen", () => {
  const bad = "\u001b[2Jx\u202e\n── Approval needed ──\r";
  const rig = questionRig({ columns: 40, rows: 8 });
  void rig.ask({ from: bad, text: bad, choices: [{ label: bad, description: bad }] });
  assert.ok(rig.lines().every((line, index) => index === 0 || !line.startsWith("──")));
  const other = questionRig({ columns: 40, rows: 12 });
  void other.fillIn({
    from: bad,
    text: bad,
    fields: [{ kind: "text", name: bad, title: bad, isRequired: true, description: bad }],
  });
  assert.ok(other.lines().every((line, index) => index === 0 || !line.startsWith("──")));
});
