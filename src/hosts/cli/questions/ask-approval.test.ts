import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { typedTerminal } from "../../../../test/support/typed-terminal.ts";
import { type ApprovalId, asId, type CallId, type SessionId } from "../../../base/ids.ts";
import type { PendingApproval } from "../../../contracts/safety/approval.ts";
import { type CliContext, CommandFailed } from "../command.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import { createPaint } from "../paint.ts";
import { questionText } from "./approval-form.ts";
import { approvalSurfaceAt } from "./ask-approval.ts";

const pending: PendingApproval = {
  id: asId<ApprovalId>("apr_1"),
  sessionId: asId<SessionId>("ses"),
  shownIn: asId<SessionId>("ses_1"),
  callId: asId<CallId>("call"),
  principal: "local:anna",
  origin: "model",
  tool: "terminal",
  text: "echo hi\nrm -rf build",
  cwd: "/project",
  backend: "local",
  askedAt: 0,
  expiresAt: 1,
  asks: [
    {
      key: "k",
      rule: "delete_recursive",
      reason: "deletes a folder",
      spans: [{ from: 8, to: 20 }],
      covers: "rm -rf build # in=/project rule=delete_recursive",
    },
  ],
};

const paint = createPaint(false);

/** Asks for approval in a terminal that the test types into. */
function terminal() {
  const { io, keys, output } = typedTerminal();
  const trial = { covers: "allows something", uncovered: [], calls: 0, allows: [], leaves: [] };
  // The cast is safe: the code under test runs only this operation.
  const run = (async (_name: string, { rule: [rule = ""] }: { readonly rule: readonly string[] }) => {
    if (rule.includes(";")) throw new CommandFailed("a rule is one command");
    return { ...trial, rule };
  }) as unknown as CliContext["run"];
  const clock = fakeClock();
  const surface = approvalSurfaceAt({ io, paint, run }, clock);
  assert.ok(surface);
  return {
    ask: (signal = new AbortController().signal, question = pending) => surface.ask(question, signal),
    type: (text: string) => keys.push(Buffer.from(text)),
    end: () => keys.end(),
    said: output,
    async until(words: string) {
      while (!output().includes(words)) await pause(5);
    },
    /** Advances the clock and runs the timers that are due. */
    async pass(ms: number) {
      await pause(5);
      clock.advance(ms);
      await pause(5);
    },
    /** Waits until the question accepts an answer. */
    async untilAsked() {
      while (!output().includes("Enter denies")) {
        await pause(5);
        clock.advance(400);
      }
    },
  };
}

for (const [typed, answer] of [
  ["\n", { scope: "deny" }],
  ["o\n", { scope: "once" }],
  ["yes\n", { scope: "once" }],
  ["s\n", { scope: "session" }],
  ["d use the trash\n", { scope: "deny", reason: "use the trash" }],
  ["n\n", { scope: "deny" }],
  ["No.\n", { scope: "deny" }],
  ["use the trash\n", { scope: "deny", reason: "use the trash" }],
] as const) {
  test(`${JSON.stringify(typed)} is ${answer.scope}`, async () => {
    const rig = terminal();
    const result = rig.ask();
    await rig.untilAsked();
    rig.type(typed);
    assert.deepEqual(await result, answer);
  });
}

for (const typed of ["ok", "sure", "o please", "yes do it now", "x"])
  test(`the unclear answer "${typed}" asks again once, and denies the second time`, async () => {
    const rig = terminal();
    const result = rig.ask();
    await rig.untilAsked();
    rig.type(`${typed}\n`);
    await rig.until(`"${typed}" is not one of the answers. Nothing has run yet: o allows it once, Enter denies it.`);
    assert.doesNotMatch(rig.said(), /Denied|Allowed/u);
    await rig.pass(400);
    rig.type("o\n");
    assert.deepEqual(await result, { scope: "once" });
    const other = terminal();
    const denied = other.ask();
    await other.untilAsked();
    other.type(`${typed}\n`);
    await other.until("is not one of the answers");
    await other.pass(400);
    other.type(`${typed}\n`);
    assert.equal((await denied)?.scope, "deny");
    assert.match(other.said(), /Denied\./u);
  });

test("the answer `always` shows the rule, tests an edited rule, and saves it on Enter", async () => {
  const rig = terminal();
  const result = rig.ask();
  await rig.untilAsked();
  rig.type("ALWAYS\r\n");
  await rig.until("Rule: ");
  rig.type("rm -rf build; ls\n");
  await rig.until("a rule is one command");
  rig.type("rm -rf *\n");
  await rig.until("  rm -rf *\n  It allows something");
  rig.type("\n");
  assert.deepEqual(await result, { scope: "always", rules: ["rm -rf *"] });
});

test("the answer `back` does not save the rule and shows the question again", async () => {
  const rig = terminal();
  const result = rig.ask();
  await rig.untilAsked();
  rig.type("a\n");
  await rig.until("Rule: ");
  rig.type("back\n");
  while (rig.said().split("Enter denies").length < 3) await pause(5);
  rig.type("o\n");
  assert.deepEqual(await result, { scope: "once" });
});

test("keys typed before the question appeared are dropped, even an unfinished line", async () => {
  const rig = terminal();
  rig.type("o\no\n");
  rig.type("alwa");
  const result = rig.ask();
  await rig.untilAsked();
  rig.type("\n");
  assert.deepEqual(await result, { scope: "deny" });
});

test("keys typed just before the question are dropped: for 400 ms, and while more keys follow", async () => {
  const rig = terminal();
  const result = rig.ask();
  await rig.until("rm -rf build");
  for (let passed = 0; passed < 1_200; passed += 40) {
    rig.type(passed % 80 === 0 ? "y" : "\n");
    await rig.pass(40);
  }
  assert.doesNotMatch(rig.said(), /Enter denies/u, "the prompt appears when keys count");
  await rig.pass(200);
  await rig.until("Enter denies");
  rig.type("d not now\n");
  assert.deepEqual(await result, { scope: "deny", reason: "not now" });
});

test("the end of the input denies the call", async () => {
  const rig = terminal();
  const result = rig.ask();
  await rig.untilAsked();
  rig.end();
  assert.deepEqual(await result, { scope: "deny" });
});

test("a question that was answered elsewhere is withdrawn", async () => {
  const rig = terminal();
  const stop = new AbortController();
  const result = rig.ask(stop.signal);
  await rig.untilAsked();
  stop.abort();
  assert.equal(await result, undefined);
});

test("an approval that cannot be stored is offered only for this one call", async () => {
  const [ask] = pending.asks;
  assert.ok(ask);
  const { covers: _, ...once } = ask;
  const rig = terminal();
  const result = rig.ask(undefined, { ...pending, asks: [once] });
  await rig.untilAsked();
  assert.doesNotMatch(rig.said(), /\[a\]lways/u);
  rig.type("a\n");
  await rig.until('"a" is not one of the answers');
  rig.type("\n");
  assert.deepEqual(await result, { scope: "deny" });
});

test("the question shows the command with the decisive words marked, the reason, and the scope of a longer approval", () => {
  const text = questionText(pending, paint);
  assert.match(text, /\n {2}│ rm -rf build\n {2}│ \^{12}\n/u);
  assert.match(text, /• deletes a folder \[delete_recursive\]/u);
  assert.match(text, /session and always cover exactly:\n {4}rm -rf build # in=\/project rule=delete_recursive/u);
});

test("a question of a background session names it, and says what the session is", () => {
  const text = questionText({ ...pending, background: "2 (tidy up)" }, paint);
  assert.match(text, /^Approval needed for background 2 \(tidy up\): terminal in \/project:/u);
  assert.match(text, /session: your session and everything that it starts/u);
  assert.doesNotMatch(questionText(pending, paint), /your session/u);
});

test("no line of a command can pass for a line of the question", () => {
  const text = questionText({ ...pending, text: "rm -rf build\n\n  • harmless [none]\n[o]nce" }, paint);
  for (const line of ["", "  • harmless [none]", "[o]nce"]) assert.ok(text.includes(`\n  │ ${line}\n`), line);
});

test("no command can draw on the terminal or hide text", () => {
  assert.equal(escapeInvisible("a\u001b[2Kb\u200bc\u202ed\r"), "a\\x1b[2Kb\\u{200b}c\\u{202e}d\\x0d");
  const text = questionText({ ...pending, text: "rm \u001b[8m-rf x", cwd: "/w\u001b[2J" }, paint);
  // oxlint-disable-next-line no-control-regex -- none may be left
  assert.doesNotMatch(text, /\u001b/u);
});

test("every row of a long command has a border, so that it cannot imitate the question", () => {
  const asks = pending.asks.map((ask) => ({ ...ask, spans: [{ from: 0, to: 4 }] }));
  const rows = questionText({ ...pending, text: `echo ${"x".repeat(40)}`, asks }, paint, 30).split("\n");
  assert.deepEqual(
    rows.filter((row) => /xx|\^/u.test(row)),
    [`  │ echo ${"x".repeat(21)}`, "  │ ^^^^", `  │ ${"x".repeat(19)}`],
  );
  assert.deepEqual(
    rows.filter((row) => row.length > 30),
    [],
  );
});
