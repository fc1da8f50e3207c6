import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../../test/support/fake-clock.ts";
import { type AgentId, asId, type CallId, type SessionId } from "../../../../base/ids.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { noUsage } from "../../../../contracts/model/model.ts";
import type { AgentEventBody } from "../../../../contracts/session/event.ts";
import { notFromPerson } from "../../../../contracts/session/program-prompt.ts";
import { createPaint } from "../../paint.ts";
import { english } from "../texts/english.ts";
import { createPlainTheme } from "./plain-theme.ts";
import { createScreenTranscript, type TranscriptDisplay } from "./screen-transcript.ts";

const defaults: TranscriptDisplay = {
  show_reasoning: false,
  tool_progress: "all",
  markdown: true,
  indicator: "unicode",
  timestamps: false,
  file_mutation_verifier: true,
  focus: false,
};

function opened(display: Partial<TranscriptDisplay> = {}) {
  const clock = fakeClock();
  let seq = 0;
  const theme = createPlainTheme(createPaint(false));
  const transcript = createScreenTranscript({
    theme: () => theme,
    display: () => ({ ...defaults, ...display }),
    clock,
    texts: english.transcript,
    emoji: () => "*",
  });
  const about = { sessionId: asId<SessionId>("s"), agentId: asId<AgentId>("a") };
  return {
    clock,
    transcript,
    show(...events: readonly AgentEventBody[]) {
      for (const event of events) transcript.show({ seq: seq++, ...about, at: clock.now(), ...event });
    },
  };
}

const id = (text: string) => asId<CallId>(text);
const prompted = (text: string) =>
  ({ type: "turn.started", turnId: asId("t"), prompt: [{ type: "text", text }] }) as const satisfies AgentEventBody;
const delta = (text: string) => ({ type: "text.delta", delta: text }) as const;
const started = (call: string, name: string, args: Extract<AgentEventBody, { type: "tool.started" }>["args"]) =>
  ({ type: "tool.started", callId: id(call), name, args }) as const;
const ended = (call: string, name: string, more: Partial<Extract<AgentEventBody, { type: "tool.finished" }>> = {}) =>
  ({ type: "tool.finished", callId: id(call), name, failed: false, durationMs: 12, summary: "", ...more }) as const;
const over = (reason: "answered" | "aborted" = "answered") =>
  ({
    type: "turn.finished",
    turnId: asId("t"),
    outcome: { reason, text: "", usage: noUsage, modelCalls: 1, toolCalls: 0 },
  }) as const satisfies AgentEventBody;

test("a prompt that a command or a notice has already shown is not shown again", () => {
  const { transcript, show } = opened();
  transcript.typed("/goal tests pass");
  transcript.command("❯ /goal tests pass");
  show(prompted("tests pass\n\n[Work towards this goal until it is reached.]"), over());
  show({ type: "notice", level: "info", text: "Goal, turn 2 of 20: one test fails" });
  show(prompted(`[The goal is not reached yet, turn 2 of 20. ${notFromPerson}]\nJudge: one test fails`), over());
  show(prompted("tests pass"), over());
  transcript.typed("/plan look");
  transcript.prompt("look");
  show(prompted("look"), over());
  transcript.typed("look");
  transcript.prompt("look");
  assert.deepEqual(
    transcript.takeFinished(80).filter((line) => line !== ""),
    ["❯ /goal tests pass", "Goal, turn 2 of 20: one test fails", "❯ tests pass", "❯ look"],
  );
});

test("a prompt that was queued with a command during a turn is shown when its own turn starts", () => {
  const { transcript, show } = opened();
  show(prompted("first"));
  transcript.typed("/queue fix it");
  transcript.command("❯ /queue fix it");
  transcript.commandEnded();
  show(over(), prompted("fix it"), over());
  assert.deepEqual(
    transcript.takeFinished(80).filter((line) => line.startsWith("❯")),
    ["❯ first", "❯ /queue fix it", "❯ fix it"],
  );
});

test("finished lines are written once; running calls and unfinished text are live", () => {
  const { transcript, show, clock } = opened();
  show(prompted("look"), delta("Let me "), delta("look.\n\n"), started("1", "terminal", { command: "ls" }));
  assert.deepEqual(transcript.takeFinished(80), ["❯ look", "", "Let me look."]);
  assert.deepEqual(transcript.takeFinished(80), []);
  clock.advance(2_000);
  show({ type: "tool.printed", callId: id("1"), lines: ["a", "b\x1b[2J"] });
  assert.deepEqual(transcript.live({ columns: 80, rows: 10 }), ["", "┊ * terminal ls 2 s", "┊   b"]);
  assert.equal(transcript.redrawAfterMs(), 1_000);
  show(ended("1", "terminal", { output: "a\nb\n" }), delta("Done"));
  assert.deepEqual(transcript.takeFinished(80), ["", "┊ * terminal ls ✓ 12 ms", "┊   a", "┊   b"]);
  assert.deepEqual(transcript.live({ columns: 80, rows: 10 }), ["", "Done"]);
  show(over());
  assert.deepEqual(transcript.takeFinished(80), ["", "Done"]);
  assert.deepEqual(transcript.live({ columns: 80, rows: 10 }), []);
  assert.equal(transcript.redrawAfterMs(), undefined);
});

test("a prompt that the host has shown is not shown again by its turn", () => {
  const { transcript, show } = opened();
  transcript.prompt("one\ntwo");
  show(prompted("one\ntwo"), over("aborted"), prompted("queued"));
  assert.deepEqual(transcript.takeFinished(80), ["❯ one", "  two", "", "stopped", "", "❯ queued"]);
});

test("the plan changes in place and is written once, when it is done or the turn ends", () => {
  const { transcript, show } = opened();
  const todo = (content: string, status: string) => ({ id: content, content, status });
  show(
    prompted("go"),
    started("1", "todo", { todos: [todo("a", "in_progress"), todo("b", "pending")] }),
    ended("1", "todo"),
  );
  assert.deepEqual(transcript.takeFinished(80), ["❯ go"]);
  assert.deepEqual(transcript.live({ columns: 80, rows: 12 }), ["", "plan 0 of 2 done", "  ▸ a", "  ☐ b"]);
  show(
    started("2", "todo", { todos: [todo("a", "completed"), todo("b", "completed")], merge: true }),
    ended("2", "todo"),
  );
  assert.deepEqual(transcript.live({ columns: 80, rows: 12 }), []);
  assert.deepEqual(transcript.takeFinished(80), ["", "plan 2 of 2 done", "  ☑ a", "  ☑ b"]);
  show(over());
  assert.deepEqual(transcript.takeFinished(80), []);
});

test("a waiting model shows one line that does not flicker; live lines never exceed the rows", () => {
  const { transcript, show, clock } = opened();
  show(prompted("go"), { type: "model.called", provider: "p", model: "m", attempt: 1 });
  transcript.takeFinished(80);
  clock.advance(3_000);
  assert.deepEqual(transcript.live({ columns: 80, rows: 5 }), ["", "◓ thinking … 3 s"]);
  show(...Array.from({ length: 20 }, (_, index) => started(String(index), "terminal", { command: `c${index}` })));
  assert.equal(transcript.live({ columns: 40, rows: 5 }).length, 5);
});

test("focus shows only prompts and answers", () => {
  const { transcript, show } = opened({ focus: true });
  show(prompted("go"), started("1", "terminal", { command: "ls" }), ended("1", "terminal"), delta("Yes."), over());
  assert.deepEqual(transcript.takeFinished(80), ["❯ go", "", "Yes."]);
});

test("at every width all lines fit, for any output of a model or a program", () => {
  const hostile = `\u001b[2J\u0007漢字漢字\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u202e ${"x".repeat(300)} ❯ ┊`;
  for (const columns of [20, 40, 80, 200]) {
    const { transcript, show } = opened({ show_reasoning: true });
    show(
      prompted(hostile),
      { type: "reasoning.delta", delta: hostile },
      delta(`${hostile}\n\n| a | ${hostile} |\n|--|--|\n| ${hostile} | b |\n\n`),
      started("1", "a_tool_with_a_rather_long_name", { command: hostile }),
      { type: "tool.printed", callId: id("1"), lines: [hostile] },
      { type: "notice", level: "warn", text: hostile },
      { type: "model.failed", error: { kind: "overloaded", message: hostile }, next: "retry", how: hostile },
    );
    const lines = [...transcript.takeFinished(columns), ...transcript.live({ columns, rows: 9 })];
    show(ended("1", "a_tool_with_a_rather_long_name", { failed: true, summary: hostile, output: hostile }), over());
    lines.push(...transcript.takeFinished(columns));
    for (const line of lines) {
      assert.ok(textWidth(line) <= columns, `${columns}: ${textWidth(line)} ${JSON.stringify(line)}`);
      // oxlint-disable-next-line no-control-regex -- their absence is the claim
      assert.doesNotMatch(line, /[\0-\x1f\x7f-\x9f\u202e]/u);
    }
    assert.equal(lines.filter((line) => line.startsWith("❯")).length, 1, "only the prompt has its sign");
  }
});

test("a block of code of 2,000 lines streams line by line, and the live part stays small", () => {
  const { transcript, show } = opened();
  let count = 0;
  show(prompted("go"), delta("```\n"));
  for (let line = 0; line < 2_000; line++) {
    show(delta(`line ${line}\nhal`), delta("f\n"));
    count += transcript.takeFinished(80).length;
    assert.ok(transcript.live({ columns: 80, rows: 30 }).length <= 1);
  }
  assert.ok(count >= 4_000);
});

test("the reply of a command appears before the unfinished line, and the answer continues", () => {
  const { transcript, show } = opened();
  show(prompted("go"), delta("- one two three "));
  assert.deepEqual(transcript.takeFinished(12), ["❯ go", "", "- one two"]);
  transcript.note("reply");
  show(delta("four\n"), over());
  assert.deepEqual(transcript.takeFinished(12), ["", "reply", "", "  three four"]);
});

test("a ! command is written with its output, whatever was written while it ran", () => {
  const { transcript, show } = opened();
  transcript.shellStarted("❯ !make");
  assert.deepEqual(transcript.takeFinished(80), []);
  assert.deepEqual(transcript.live({ columns: 80, rows: 9 }), ["❯ !make"]);
  transcript.prompt("go");
  transcript.command("❯ /status");
  transcript.note("the status");
  transcript.commandEnded();
  show(prompted("go"), delta("Yes."), over());
  assert.deepEqual(transcript.takeFinished(80), ["❯ go", "", "❯ /status", "the status", "", "Yes."]);
  assert.deepEqual(transcript.live({ columns: 80, rows: 9 }), ["", "❯ !make"]);
  transcript.shellEnded();
  transcript.note("built");
  transcript.shellEnded();
  assert.deepEqual(transcript.takeFinished(80), ["", "❯ !make", "built"]);
  assert.deepEqual(transcript.live({ columns: 80, rows: 9 }), []);
});

test("a prompt that interrupts a turn appears after its last line, without a note that the turn was stopped", () => {
  const { transcript, show } = opened();
  show(prompted("one"), delta("- half a li"));
  assert.deepEqual(transcript.takeFinished(80), ["❯ one"]);
  transcript.prompt("two");
  show(over("aborted"), prompted("two"), delta("Yes."), over());
  assert.deepEqual(transcript.takeFinished(80), ["", "- half a li", "", "❯ two", "", "Yes."]);
});

test("the call that a prompt interrupts is written before the prompt, which is visible at once", () => {
  const { transcript, show } = opened();
  show(prompted("one"), started("1", "terminal", { command: "sleep 9" }));
  transcript.takeFinished(80);
  transcript.prompt("two");
  assert.deepEqual(transcript.takeFinished(80), []);
  assert.deepEqual(transcript.live({ columns: 80, rows: 9 }), ["", "┊ * terminal sleep 9 0 s", "", "❯ two"]);
  show(ended("1", "terminal", { failed: true, summary: "cancelled" }), over("aborted"), prompted("two"), delta("Yes."));
  assert.deepEqual(transcript.takeFinished(80), ["", "┊ * terminal sleep 9 ✗ 12 ms cancelled", "", "❯ two"]);
});

test("a call whose result comes after the end of its turn is shown as interrupted, once", () => {
  const { transcript, show } = opened();
  show(prompted("one"), started("1", "terminal", { command: "sleep 9" }));
  show({ type: "tool.printed", callId: id("1"), lines: ["step 1", "step 2"] });
  transcript.takeFinished(80);
  show(over("aborted"), ended("1", "terminal", { failed: true, summary: "cancelled" }));
  assert.deepEqual(transcript.takeFinished(80), [
    "",
    "┊ * terminal sleep 9 ✗ 0 ms interrupted",
    "┊   step 1",
    "┊   step 2",
    "",
    "stopped",
  ]);
});

test("files that were not written are named once, because the lines of their calls have the reasons", () => {
  const notice = { type: "notice", level: "warn", text: "1 file: /p/b.ts (no space)", unwritten: ["/p/b.ts"] } as const;
  const failing = [
    prompted("go"),
    started("2", "write_file", { path: "b.ts" }),
    ended("2", "write_file", { failed: true, summary: "no space" }),
    delta("Done."),
    notice,
    over(),
  ];
  const { transcript, show } = opened();
  show(...failing);
  const lines = transcript.takeFinished(80);
  assert.deepEqual(lines.slice(-2), ["", "⚠ 1 file was not written: b.ts"]);
  assert.equal(lines.join("\n").match(/no space/gu)?.length, 1);
  const focused = opened({ focus: true });
  focused.show(...failing);
  assert.ok(focused.transcript.takeFinished(80).includes(notice.text));
});

test("an answer that stops in the middle shows that the model is silent, after three seconds", () => {
  const { transcript, show, clock } = opened();
  show(prompted("go"), { type: "model.called", provider: "p", model: "m1", attempt: 1 }, delta("Half an"));
  transcript.takeFinished(80);
  clock.advance(2_900);
  assert.deepEqual(transcript.live({ columns: 80, rows: 10 }), ["", "Half an"]);
  clock.advance(1_200);
  assert.match(transcript.live({ columns: 80, rows: 10 }).at(-1) ?? "", /waiting for p\/m1 … 4 s · Esc interrupts$/u);
  show(delta(" answer"));
  transcript.takeFinished(80);
  assert.deepEqual(transcript.live({ columns: 80, rows: 10 }), ["", "Half an answer"]);
});

test("a retry after a part of the answer leaves a line between the two answers", () => {
  const { transcript, show } = opened();
  const error = { kind: "network", message: "the connection was cut" } as const;
  show(prompted("go"), delta("Half an"));
  show({ type: "model.failed", error, next: "retry", how: "", waitMs: 1_000, retry: { number: 1, of: 3 } });
  show(delta("Half an answer.\n\n"));
  const lines = transcript.takeFinished(80).filter((line) => line !== "");
  assert.deepEqual(lines.slice(-3), [
    "Half an",
    "↻ the connection was cut: the answer starts again",
    "Half an answer.",
  ]);
});

test("retries are one live line that counts down, and the error is written once, with a way out", () => {
  const { transcript, show, clock } = opened();
  const error = { kind: "network", message: "nothing listens there" } as const;
  const failed = (number: number) =>
    ({ type: "model.failed", error, next: "retry", how: "", waitMs: 4_000, retry: { number, of: 3 } }) as const;
  show(prompted("go"), failed(1));
  transcript.takeFinished(80);
  clock.advance(1_500);
  const live = () => transcript.live({ columns: 80, rows: 10 }).filter((line) => line.startsWith("↻"));
  assert.deepEqual(live(), ["↻ nothing listens there: retrying in 3 s (1 of 3)"]);
  show(failed(2));
  assert.deepEqual(live(), ["↻ nothing listens there: retrying in 4 s (2 of 3)"]);
  clock.advance(5_000);
  assert.deepEqual(live(), ["↻ nothing listens there: retrying (2 of 3)"]);
  show({ type: "model.failed", error, next: "give_up", how: "giving up" });
  const outcome = {
    reason: "failed",
    text: "",
    why: error.message,
    usage: noUsage,
    modelCalls: 3,
    toolCalls: 0,
  } as const;
  show({ type: "turn.finished", turnId: asId("t"), outcome });
  assert.deepEqual(live(), []);
  assert.deepEqual(transcript.takeFinished(80), ["", "nothing listens there", "To send the prompt again: /retry"]);
});

test("a notice after the last message of a turn does not divide its answer", () => {
  const { transcript, show } = opened();
  const message = { role: "assistant", content: [], calls: [], stop: "end" } as const;
  show(prompted("plan"), delta("first words last"), { type: "message.added", entry: asId("e"), message });
  show({ type: "notice", level: "info", text: "This is the plan." }, over());
  assert.deepEqual(transcript.takeFinished(14).slice(-5), ["first words", "last", "", "This is the", "  plan."]);
});
