import assert from "node:assert/strict";
import { test } from "node:test";

import { panelRig } from "../../../../../test/support/panel-rig.ts";
import { type ApprovalId, asId, type CallId, type SessionId } from "../../../../base/ids.ts";
import { ok } from "../../../../base/result.ts";
import { type Answer, type PendingApproval, QuestionSettled } from "../../../../contracts/safety/approval.ts";
import type { Space } from "../parts.ts";
import { screenQuestions } from "./screen-questions.ts";

const command: PendingApproval = {
  id: asId<ApprovalId>("apr_1"),
  sessionId: asId<SessionId>("ses"),
  shownIn: asId<SessionId>("ses"),
  callId: asId<CallId>("call"),
  principal: "local:anna",
  origin: "model",
  tool: "terminal",
  text: "echo hi\nrm -rf build",
  cwd: "/project",
  backend: "local",
  askedAt: 0,
  expiresAt: Date.UTC(2025, 0, 1) + 300_000,
  asks: [
    {
      key: "k",
      rule: "delete_recursive",
      reason: "deletes a folder",
      spans: [{ from: 8, to: 20 }],
      covers: "rm -rf build # in=/project",
    },
  ],
};

function openQuestion(pending: Partial<PendingApproval> = {}, space?: Space) {
  const rig = panelRig(space);
  const notes: string[] = [];
  const tried: string[] = [];
  const stop = new AbortController();
  const questions = screenQuestions({
    ...rig,
    draft: { isEmpty: () => true, press: (key) => void rig.early.push(key) },
    note: (line) => void notes.push(line),
    async tryRule(rule) {
      tried.push(rule);
      return ok({ rule, covers: `allows ${rule}`, uncovered: [], calls: 0, allows: [], leaves: [] });
    },
  });
  const ask = (more: Partial<PendingApproval> = {}) =>
    questions.approvals.ask({ ...command, ...pending, ...more }, stop.signal);
  return { ...rig, notes, tried, stop, ask, answer: ask() };
}

const sizes: readonly Space[] = [
  { columns: 40, rows: 8 },
  { columns: 80, rows: 22 },
  { columns: 200, rows: 48 },
];

test("a small window says that an approved call leaves the sandbox", () => {
  const reason = "deletes a file or a whole folder, and overwrites a system file";
  const asks = command.asks.map((each) => ({ ...each, reason }));
  const { text } = openQuestion({ leavesSandbox: true, asks }, { columns: 40, rows: 9 });
  assert.match(text().replaceAll(/\s+/gu, " "), /Runs outside the sandbox if you allow it\./u);
});

for (const space of sizes) {
  test(`the panel shows call, reason, rule and answers in ${space.columns}x${space.rows}`, () => {
    const { text, ready } = openQuestion({}, space);
    assert.doesNotMatch(text(), /❯/u, "no mark before it accepts keys");
    ready();
    assert.match(text(), /Approval needed: terminal in \/pro/u);
    assert.match(text(), /│ rm -rf build\n {2}│ \^{12}\n/u);
    assert.match(text(), /deletes a folder \[delete_recursive\]/u);
    assert.match(text(), space.rows > 8 ? /cover exactly:\n +rm -rf build # in=\/project/u : /PgDn, or \?/u);
    assert.match(text(), /❯(?:d deny| 4 {2}d {2}Deny)/u);
  });
}

for (const [keys, answer] of [
  [["o"], { scope: "once" }],
  [["s"], { scope: "session" }],
  [["d"], { scope: "deny" }],
  [["n"], { scope: "deny" }],
  [["escape"], { scope: "deny" }],
  [["enter"], { scope: "deny" }],
  [["1"], { scope: "once" }],
  [["2"], { scope: "session" }],
  [["up", "up", "enter"], { scope: "session" }],
  [["up", "up", "up", "up", "enter"], { scope: "once" }],
  [["up", "down", "enter"], { scope: "deny" }],
  [["?", "o"], { scope: "once" }],
  [["?", "escape", "enter"], { scope: "deny" }],
] as const) {
  test(`${keys.join(" ")} answers ${answer.scope}`, async () => {
    const rig = openQuestion();
    rig.ready();
    rig.press(...keys);
    assert.deepEqual(await rig.answer, answer);
    assert.equal(rig.panels.current, undefined);
    assert.match(rig.notes.join(), answer.scope === "deny" ? /^✗ Denied: / : /^✓ Allowed /u);
  });
}

for (const keys of ["y", "Y", "yes"]) {
  test(`${keys} allows once, as in the plain chat`, async () => {
    const rig = openQuestion();
    rig.ready();
    rig.type(keys);
    rig.clock.advance(300);
    assert.deepEqual(await rig.answer, { scope: "once" });
    assert.deepEqual(rig.early, []);
  });
}

test("another word that starts with y is text for the draft, and y typed before the question does not answer", async () => {
  const rig = openQuestion();
  rig.lines();
  rig.type("y");
  rig.clock.advance(2_000);
  assert.ok(rig.panels.current);
  rig.type("you so");
  rig.clock.advance(2_000);
  assert.ok(rig.panels.current);
  assert.equal(rig.early.map(({ text }) => text).join(""), "yyou so");
  rig.press("d");
  assert.deepEqual(await rig.answer, { scope: "deny" });
});

test("the smallest windows show the marked answer, and then the reason", () => {
  for (const columns of [24, 30, 60])
    for (let rows = 1; rows <= 12; rows++) {
      const rig = openQuestion({}, { columns, rows });
      rig.ready();
      assert.match(rig.text(), /❯(?:d deny| 4 {2}d {2}Deny)/u, `${columns}x${rows}`);
      if (rows >= 4) assert.match(rig.text(), /deletes a fol/u, `${columns}x${rows}`);
      if (rows >= 2) assert.match(rig.text(), /│ /u, `${columns}x${rows}`);
    }
});

test("a question of a background session names it, and says what the session is", () => {
  const rig = openQuestion({ background: "2 (tidy up)" }, { columns: 100, rows: 24 });
  assert.match(rig.text(), /Approval needed: background 2 \(tidy up\): terminal in \/project/u);
  assert.match(rig.text(), /2 {2}s {2}Allow for your session and everything that it starts/u);
});

test("Tab denies with a reason; Esc returns to the question", async () => {
  const rig = openQuestion();
  rig.ready();
  rig.press("tab");
  rig.type("oh");
  rig.press("escape", "tab");
  rig.type("use the bin");
  assert.match(rig.text(), /Reason for the model: use the bin/u);
  rig.press("ctrl+w");
  rig.type("trash");
  rig.press("enter");
  assert.deepEqual(await rig.answer, { scope: "deny", reason: "use the trash" });
});

test("Tab gives a reason from the explanation view too, and letters typed there do not answer", async () => {
  const rig = openQuestion();
  rig.ready();
  rig.press("?", "tab");
  rig.type("so not");
  rig.press("enter");
  assert.deepEqual(await rig.answer, { scope: "deny", reason: "so not" });
});

test("always shows the rule, tests an edited one, and saves it with Enter", async () => {
  const rig = openQuestion();
  rig.ready();
  rig.press("a");
  await rig.settle();
  assert.match(rig.text(), /It allows rm -rf build # in=\/project\./u);
  rig.press("ctrl+u");
  rig.type("rm -rf *");
  rig.press("enter");
  await rig.settle();
  assert.match(rig.text(), /It allows rm -rf \*\./u);
  rig.press("enter");
  assert.deepEqual(await rig.answer, { scope: "always", rules: ["rm -rf *"] });
  assert.deepEqual(rig.tried, ["rm -rf build # in=/project", "rm -rf *"]);
});

test("Esc at the rule saves nothing and asks again", async () => {
  const rig = openQuestion();
  rig.ready();
  rig.press("a");
  await rig.settle();
  rig.press("escape");
  await rig.settle();
  assert.match(rig.text(), /❯ 4 {2}d {2}Deny/u);
  rig.press("o");
  assert.deepEqual(await rig.answer, { scope: "once" });
});

test("keys typed just before the question are dropped: before it is drawn, for 400 ms, and while more keys follow", async () => {
  const rig = openQuestion();
  rig.press("o", "enter");
  rig.lines();
  for (let passed = 0; passed < 2_000; passed += 100) {
    rig.press("o", "up", "enter", "escape");
    rig.clock.advance(100);
  }
  rig.clock.advance(100);
  assert.ok(rig.early.length > 10 && rig.early.every(({ text }) => text === "o"));
  rig.press("enter");
  assert.deepEqual(await rig.answer, { scope: "deny" });
});

test("a letter that is not an answer starts a text: the letters after it do not answer", async () => {
  const rig = openQuestion();
  rig.ready();
  rig.type("@src/once");
  assert.equal(rig.early.map(({ text }) => text).join(""), "@src/once");
  rig.clock.advance(1_000);
  rig.press("d");
  assert.deepEqual(await rig.answer, { scope: "deny" });
});

test("letters that arrive together are text, and none of them answers", async () => {
  const rig = openQuestion();
  rig.ready();
  for (const text of "so d") rig.panels.current?.press({ chord: text, text, isBurst: true });
  rig.press("enter");
  assert.equal(rig.early.map(({ text }) => text).join(""), "so d");
  rig.clock.advance(1_000);
  rig.press("o");
  assert.deepEqual(await rig.answer, { scope: "once" });
});

test("a question ignores Ctrl-C and focus changes of the window", () => {
  const rig = openQuestion();
  rig.ready();
  assert.equal(rig.press("ctrl+c"), false);
  assert.equal(rig.press("blur"), false);
});

test("a pasted letter answers nothing", async () => {
  const rig = openQuestion();
  rig.ready();
  rig.paste("o");
  rig.paste("1");
  assert.ok(rig.panels.current);
  assert.equal(rig.early.length, 2, "the draft keeps it");
  rig.ready();
  rig.press("enter");
  assert.deepEqual(await rig.answer, { scope: "deny" });
});

test("an approval that no rule can express is offered only once", async () => {
  const rig = openQuestion({ asks: command.asks.map(({ covers: _, ...ask }) => ask) });
  rig.ready();
  assert.doesNotMatch(rig.text(), /session|Always/u);
  assert.match(rig.text(), /only once/u);
  rig.press("a", "s", "3");
  assert.ok(rig.panels.current);
  rig.ready();
  rig.press("o");
  assert.deepEqual(await rig.answer, { scope: "once" });
});

test("questions queue up and are counted, and keys of the first do not answer the next", async () => {
  const rig = openQuestion();
  const second = rig.ask({ text: "curl example.org", asks: [] });
  assert.match(rig.text(), /1 more question waits/u);
  rig.ready();
  rig.press("o", "o", "o");
  assert.deepEqual(await rig.answer, { scope: "once" });
  assert.match(rig.text(), /curl example\.org/u);
  rig.press("o");
  assert.ok(rig.panels.current);
  rig.ready();
  rig.press("d");
  assert.deepEqual(await second, { scope: "deny" });
});

test("a question that another surface answered closes with a note", async () => {
  const rig = openQuestion();
  const answer: Answer = { scope: "session" };
  rig.stop.abort(new QuestionSettled({ how: "answered", answer, by: "hermes approvals" }));
  assert.equal(await rig.answer, undefined);
  assert.equal(rig.panels.current, undefined);
  assert.deepEqual(rig.notes, [
    "Answered elsewhere (hermes approvals): Allowed for this session: echo hi\\x0arm -rf build",
  ]);
});

test("the remaining time is shown and counts down", () => {
  const rig = openQuestion({}, { columns: 80, rows: 22 });
  assert.match(rig.text(), /5 min left/u);
  rig.clock.advance(250_000);
  assert.match(rig.text(), /50 s left/u);
});

test("hostile text cannot imitate the panel, hide text or draw on the screen", () => {
  const text = "rm \u001b[2J\u202ex\r\n── Approval needed: none ──\n❯ 1  o  Allow once\n\u009b2Kx";
  const hostile = { text, cwd: "/w\u001b]0;t\u0007", tool: "ter\u200bminal", agent: "a\u001b[H" };
  for (const space of sizes) {
    const { lines } = openQuestion(
      { ...hostile, asks: [{ key: "k", rule: "r\u001b[31m", reason: "\u202eso", spans: [] }] },
      space,
    );
    const rows = lines();
    const outside = rows.slice(1).filter((line) => !line.startsWith("  │ "));
    assert.ok(!outside.some((line) => /Approval needed|1 {2}o {2}Allow once/u.test(line) && !/^ {2}1/u.test(line)));
  }
});

test("a command of one megabyte is shown at its decisive words and can be scrolled", () => {
  const text = `echo ${"x".repeat(500_000)} && rm -rf / ${"y".repeat(500_000)}`;
  const from = text.indexOf("rm -rf");
  const rig = openQuestion({ text, asks: command.asks.map((ask) => ({ ...ask, spans: [{ from, to: from + 8 }] })) });
  assert.match(rig.text(), /rm -rf \//u);
  assert.match(rig.text(), /\^{8}/u);
  rig.ready();
  rig.press("pageup");
  for (let page = 0; page < 2_000; page++) rig.press("pageup");
  assert.match(rig.text(), /│ echo x/u);
});

test("the diff of a file can be scrolled", () => {
  const preview = [
    "--- a",
    "+++ b",
    "@@ -1 +1 @@",
    ...Array.from({ length: 100 }, (_, index) => `+line ${index}`),
  ].join("\n");
  const rig = openQuestion({ text: "write /project/b", preview }, { columns: 60, rows: 16 });
  rig.ready();
  assert.match(rig.text(), /PgUp\/PgDn: 0 above, \d\d below/u);
  for (let page = 0; page < 40; page++) rig.press("pagedown");
  assert.match(rig.text(), /│ \+line 99/u);
});
