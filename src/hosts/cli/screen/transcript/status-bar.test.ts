import assert from "node:assert/strict";
import { test } from "node:test";

import { plainText } from "../../../../base/text/ansi.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { createPaint } from "../../paint.ts";
import { english } from "../texts/english.ts";
import { createPlainTheme } from "./plain-theme.ts";
import { statusBar, type StatusFacts } from "./status-bar.ts";

const facts: StatusFacts = {
  model: "anthropic/claude-opus-4-5-20260101",
  isOffline: false,
  context: { tokens: 24_000, window: 200_000, estimated: false },
  costUsd: 0.1234,
  hasUsage: true,
  turnMs: 65_000,
  branch: "main",
  backend: "local",
  isolation: "auto",
  approvals: "manual",
  queued: 0,
  backgroundSessions: 0,
  processes: 0,
  agents: 0,
  compactions: 0,
  isPlanning: false,
  segments: [],
};
const theme = createPlainTheme(createPaint(false));
const bar = (columns: number, more: Partial<StatusFacts> = {}) =>
  statusBar({ ...facts, ...more }, { theme, texts: english.transcript, columns });

test("the status line shows the parts that fit the width of the window", () => {
  assert.equal(bar(40), "anthropic/claude-opus-4-5… · 12 %");
  assert.equal(bar(40, { isolation: "off", model: "lab/small" }), "lab/small · 12 % · $0.12 · no sandbox");
  const { turnMs: _turn, branch: _branch, ...idle } = { ...facts, model: "offline/rules", isOffline: true };
  assert.equal(
    statusBar(idle, { theme, texts: english.transcript, columns: 40 }),
    "offline/rules · sandbox · asks first",
  );
  assert.equal(bar(60), "anthropic/claude-opus-4-5… · 12 % · $0.12 · 1m 5s · ⎇ main");
  assert.equal(bar(80), "anthropic/claude-opus-4-5… │ 24k/200k │ █░░░░░░░░░ 12 % │ $0.12 │ 1m 5s │ ⎇ main");
  assert.equal(
    bar(200, { title: "Fix the parser", segments: [{ text: "k8s: prod", priority: 1 }], compactions: 2, agents: 1 }),
    "anthropic/claude-opus-4-5… │ 24k/200k │ █░░░░░░░░░ 12 % │ $0.12 │ 1m 5s │ ⎇ main │ sandbox │ asks first │ ⛓ 1 │ ↯ 2 │ Fix the parser │ k8s: prod",
  );
});

test("warnings come first and stay at every width", () => {
  const yolo = { approvals: "yolo", isolation: "off", queued: 2 } as const;
  assert.equal(bar(40, yolo), "⚠ YOLO · anthropic/claude-opus-4-5…");
  assert.match(bar(80, yolo), /^⚠ YOLO │ .*no sandbox │ ⋯ 2$/u);
  for (let columns = 1; columns < 220; columns += 7)
    assert.ok(textWidth(bar(columns, { ...yolo, title: "漢字".repeat(20), goal: "a\x1b[2J" })) <= columns);
});

test("the fill level is shown in green, yellow, orange and red", () => {
  const coloured = createPlainTheme(createPaint(true));
  const level = (tokens: number) =>
    statusBar(
      { ...facts, context: { tokens, window: 100, estimated: true } },
      { theme: coloured, texts: english.transcript, columns: 60 },
    );
  // oxlint-disable-next-line no-control-regex -- colours are the claim
  const code = (line: string) => /\u001b\[(?<code>[\d;]+)m~/u.exec(line)?.groups?.["code"];
  assert.deepEqual(
    [10, 49, 50, 79, 80, 94, 95, 300].map((tokens) => code(level(tokens))),
    ["32", "32", "33", "33", "38;5;208", "38;5;208", "31", "31"],
  );
  assert.match(plainText(level(300)), /~100 %/u);
});
