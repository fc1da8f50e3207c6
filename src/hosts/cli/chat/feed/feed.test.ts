import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../../test/support/fake-clock.ts";
import { type AgentId, asId, type CallId, type SessionId } from "../../../../base/ids.ts";
import { noUsage } from "../../../../contracts/model/model.ts";
import type { AgentStatus } from "../../../../contracts/session/agents.ts";
import type { AgentEventBody } from "../../../../contracts/session/event.ts";
import { createPaint } from "../../paint.ts";
import { createFeed, type FeedOptions } from "./feed.ts";

function shown(events: readonly (AgentEventBody | number)[], more: Partial<FeedOptions> = {}): string {
  let text = "";
  let seq = 0;
  const clock = fakeClock();
  const feed = createFeed({
    paint: createPaint(false),
    columns: 100,
    clock,
    write: (part) => void (text += part),
    emoji: () => "*",
    showReasoning: false,
    toolProgress: "all",
    ...more,
  });
  const about = { sessionId: asId<SessionId>("s"), agentId: asId<AgentId>("a") };
  for (const event of events) {
    if (typeof event === "number") clock.advance(event);
    else feed.show({ seq: seq++, ...about, at: clock.now(), ...event });
  }
  return text;
}

const id = (text: string) => asId<CallId>(text);
const started = (call: string, args: Extract<AgentEventBody, { type: "tool.started" }>["args"], name = "terminal") =>
  ({ type: "tool.started", callId: id(call), name, args }) as const;
const finished = (call: string, summary: string, failed = false, name = "terminal") =>
  ({ type: "tool.finished", callId: id(call), name, failed, durationMs: 12.4, summary }) as const;
const textDelta = (delta: string) => ({ type: "text.delta", delta }) as const;

test("a finished call is printed as one line between the lines of the answer", () => {
  assert.equal(
    shown([
      textDelta("Let me look"),
      started("1", { command: "ls\n-la" }),
      finished("1", '{"exit_code":0}'),
      textDelta("Done.\n"),
    ]),
    "Let me look\n┊ * terminal ls -la ✓ 12 ms\nDone.\n",
  );
});

test("running calls are live lines with their time and latest output; finished calls become permanent lines", () => {
  const drawn: (readonly string[])[] = [];
  const live = (lines: readonly string[]) => void drawn.push(lines);
  const printed = (lines: readonly string[]) => ({ type: "tool.printed", callId: id("1"), lines }) as const;
  const text = shown(
    [
      started("1", { command: "make" }),
      100,
      started("2", { command: "b" }),
      200,
      printed(["a\x1b[2Jb", "\tc"]),
      2_000,
      finished("2", ""),
      { ...finished("1", ""), output: "x\n" },
    ],
    { live },
  );
  assert.equal(text, "┊ * terminal b ✓ 12 ms\n┊ * terminal make ✓ 12 ms\n┊   x\n");
  assert.deepEqual(drawn, [
    ["┊ * terminal make 0 s", "┊ * terminal b 0 s"],
    ["┊ * terminal make 0 s", "┊   ab", "┊       c", "┊ * terminal b 0 s"],
    ["┊ * terminal make 1 s", "┊   ab", "┊       c", "┊ * terminal b 1 s"],
    ["┊ * terminal make 2 s", "┊   ab", "┊       c", "┊ * terminal b 2 s"],
    ["┊ * terminal make 2 s", "┊   ab", "┊       c"],
    [],
  ]);
});

test("failures and nonzero exit codes show the reason; data of a successful call is only for the model", () => {
  assert.equal(
    shown([started("1", { path: "x" }, "read_file"), finished("1", "x does not exist", true, "read_file")]),
    "┊ * read_file x ✗ 12 ms x does not exist\n",
  );
  assert.equal(
    shown([started("1", { command: "false" }), { ...finished("1", "exit code 1", true), output: "" }]),
    "┊ * terminal false ✗ 12 ms exit code 1\n",
  );
});

test("control characters are shown as text in arguments, results and answers", () => {
  const text = shown([
    started("1", { command: "echo \x1b[2J" }),
    finished("1", "a\x1b]0;t\x07b"),
    textDelta("c\x1b[31md\x00\u009b"),
  ]);
  // oxlint-disable-next-line no-control-regex -- their absence is the claim
  assert.doesNotMatch(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/u);
  assert.match(text, /echo \\x1b\[2J/u);
});

test("retries, compaction and notices are separate dim lines", () => {
  const text = shown([
    textDelta("half"),
    {
      type: "model.failed",
      error: { kind: "overloaded", message: "the provider is overloaded" },
      next: "retry",
      how: "waiting 2 s",
    },
    { type: "context.compacted", through: "e1" as never, tokensBefore: 900, tokensAfter: 100 },
    { type: "context.compacted", through: "e2" as never, tokensBefore: 700, tokensAfter: 90, mechanical: true },
    { type: "notice", level: "warn", text: "careful" },
  ]);
  assert.equal(
    text,
    "half\n↻ the provider is overloaded: waiting 2 s\n◌ context compacted: 900 → 100 tokens\n◌ context compacted: 700 → 90 tokens (no model wrote the summary; it lists messages and calls)\ncareful\n",
  );
});

test("a notice during a call is a line of its own, and the line of the call stays whole", () => {
  const notice = { type: "notice", level: "warn", text: "careful" } as const;
  const alone = shown([started("1", { command: "a" }), finished("1", "")]);
  const together = shown([started("1", { command: "a" }), notice, finished("1", "")]);
  assert.equal(together, `careful\n${alone}`);
  assert.match(alone, /^[^\n]+ a ✓[^\n]*\n$/u);
});

test("reasoning is hidden by default, and tool lines follow the setting", () => {
  const events = [{ type: "reasoning.delta", delta: "hmm" } as const, textDelta("yes")];
  assert.equal(shown(events), "yes");
  assert.equal(shown(events, { showReasoning: true }), "hmm\nyes");
  const calls = [started("1", { command: "a" }), finished("1", ""), started("2", { command: "b" }), finished("2", "")];
  assert.equal(shown(calls, { toolProgress: "off" }), "");
  assert.equal(shown(calls, { toolProgress: "new" }), "┊ * terminal a ✓ 12 ms\n");
  assert.match(shown(calls, { toolProgress: "verbose" }), /terminal a ✓ 12 ms\n┊ {3}command: a\n/u);
});

test("control sequences in the call name that a model gives are shown as text", () => {
  assert.equal(
    shown([started("1", {}, "x\x1b[2J\ny"), finished("1", "Unknown tool", true)]),
    "┊ * x\\x1b[2J y ✗ 12 ms Unknown tool\n",
  );
});

test("only answers are rendered as Markdown, and held text is flushed before the next line", () => {
  const events = [
    textDelta("# Plan\n\nI **lo"),
    textDelta("ok** at `a"),
    started("1", { command: "ls **/*.ts" }),
    finished("1", "**"),
    textDelta("**"),
    textDelta("\n- done"),
  ];
  assert.equal(
    shown([...events, { type: "notice", level: "info", text: "a **note**" }], { markdown: true }),
    "# Plan\n\nI **look** at `a\n┊ * terminal ls **/*.ts ✓ 12 ms **\n**\n- done\na **note**\n",
  );
});

test("a silent model is reported after a while, and again, until it answers", () => {
  const called = { type: "model.called", provider: "p", model: "m", attempt: 1 } as const;
  assert.equal(shown([called, 2_900, textDelta("hi"), 2_900], { isWatched: true }), "hi");
  assert.equal(
    shown([called, 100, textDelta("hi"), 2_900, textDelta(" you"), 3_000, textDelta("!\n")], { isWatched: true }),
    "hi you\n◌ waiting for p/m, 3 s so far; Ctrl-C stops it …\n!\n",
    "an answer that stops in the middle",
  );
  assert.equal(shown([called, 60_000, textDelta("hi")]), "hi", "no report for a program that reads the output");
  assert.equal(
    shown([called, 3_100, 12_000, textDelta("hi"), { type: "notice", level: "info", text: "" }], { isWatched: true }),
    "◌ waiting for p/m …\n◌ waiting for p/m, 15.0 s so far; Ctrl-C stops it …\nhi\n\n",
  );
  const thinks = [called, { type: "reasoning.delta", delta: "hm" }, 3_100] as const;
  assert.equal(shown(thinks, { isWatched: true }), "◌ p/m is thinking …\n");
});

test("a denied call shows the reason without the instructions for the model", () => {
  const why =
    "Denied: terminal was not run: deletes a folder: rm -r x. The user denied it. Do not try it again, do not";
  assert.equal(
    shown([started("1", { command: "rm -r x" }), finished("1", why, true)], { columns: 40 }),
    "┊ * terminal rm -r x ✗ 12 ms\n┊   denied: deletes a folder: rm -r x.\n┊   You denied it.\n",
  );
});

test("a call line shows the main argument, not the options", () => {
  const line = (args: Parameters<typeof started>[1]) => shown([started("1", args, "t"), finished("1", "")]);
  assert.equal(line({ path: ".", pattern: "TODO" }), "┊ * t TODO ✓ 12 ms\n");
  assert.equal(line({ todos: [{ id: "1" }, { id: "2" }], merge: false }), "┊ * t 2 todos ✓ 12 ms\n");
  assert.equal(line({ action: "add", content: "I like tea" }), "┊ * t I like tea ✓ 12 ms\n");
  assert.equal(line({ detail: "adaptive", merge: false }), "┊ * t ✓ 12 ms\n");
});

test("answers wrap between words at the edge of the terminal", () => {
  assert.equal(
    shown([textDelta("one two"), textDelta(" three\n")], { columns: 8, isWatched: true }),
    "one two\nthree\n",
  );
  assert.equal(
    shown([textDelta("one tw"), 150, textDelta("ofold ab")], { columns: 8, isWatched: true }),
    "one twofold",
  );
});

test("a notice inside a code block does not end it; the next answer starts outside it", () => {
  const notice = { type: "notice", level: "info", text: "told" } as const;
  const options = { columns: 13, isWatched: true, markdown: true };
  assert.equal(
    shown([textDelta("```\none two **three**"), notice, textDelta("four five **six**\n```\none two three")], options),
    "```\none two\n    **three**\ntold\nfour five\n    **six**\n```\n",
  );
  assert.equal(
    shown(
      [textDelta("```\ncode"), started("1", { path: "a" }), finished("1", ""), textDelta("a **b** and more\n")],
      options,
    ),
    "```\ncode\n┊ * terminal a ✓ 12 ms\na **b** and\nmore\n",
  );
});

test("incomplete lines of an answer are shown as live lines after a moment", () => {
  const drawn: (readonly string[])[] = [];
  const live = (lines: readonly string[]) => void drawn.push(lines);
  const text = shown([textDelta("one"), 50, textDelta(" two"), 150, textDelta(" three"), textDelta("\nfour\nfi")], {
    markdown: true,
    live,
  });
  assert.equal(text, "one two three\nfour\n");
  assert.deepEqual(drawn, [["one two"], ["one two three"], [], ["fi"]]);
});

const startOfClock = fakeClock().now();
const child = (agent: string, more: Partial<AgentStatus> = {}) =>
  ({
    type: "agent.changed",
    agent: {
      agentId: asId<AgentId>(agent),
      callId: id("1"),
      depth: 1,
      goal: `part ${agent}`,
      role: "leaf",
      isBackground: false,
      state: "running",
      startedAt: startOfClock,
      modelCalls: 1,
      toolCalls: 2,
      tokens: 3_000,
      costUsd: 0.01,
      context: { tokens: 50, window: 1_000 },
      ...more,
    },
  }) as const;
const delegated = started("1", { tasks: [{ goal: "a" }, { goal: "b" }] }, "delegate_task");
const ended = { state: "completed", endedAt: startOfClock + 2_000 } as const;

test("children of a running call form a live tree below it, and their last state stays below the result", () => {
  const drawn: (readonly string[])[] = [];
  const text = shown(
    [
      delegated,
      child("a", { agent: "review", doing: "read_file \x1b[2Jx" }),
      child("b", { state: "waiting" }),
      200,
      1_000,
      child("c", { parentAgentId: asId<AgentId>("a"), depth: 2, callId: id("9") }),
      child("a", { agent: "review", ...ended }),
      child("b", { ...ended, state: "timeout" }),
      finished("1", "{}", false, "delegate_task"),
    ],
    { live: (lines) => void drawn.push(lines) },
  );
  assert.deepEqual(drawn.slice(0, 3), [
    [
      "┊ * delegate_task 2 tasks 0 s",
      "┊   ├ ● review part a  0 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊   │   read_file \\x1b[2Jx",
      "┊   └ ○ agent part b  waiting",
    ],
    [
      "┊ * delegate_task 2 tasks 1 s",
      "┊   ├ ● review part a  1 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊   │   read_file \\x1b[2Jx",
      "┊   └ ○ agent part b  waiting",
    ],
    [
      "┊ * delegate_task 2 tasks 1 s",
      "┊   ├ ● review part a  1 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊   │ │ read_file \\x1b[2Jx",
      "┊   │ └ ● agent part c  1 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊   └ ○ agent part b  waiting",
    ],
  ]);
  assert.deepEqual(drawn.at(-1), []);
  assert.equal(
    text,
    [
      "┊ * delegate_task 2 tasks ✓ 12 ms",
      "┊   ├ ✓ review part a  2 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊   │ └ ● agent part c  1 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊   └ ✗ agent part b  2 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "",
    ].join("\n"),
  );
});

test("on a terminal that cannot redraw, each child prints a line when it starts and when it ends", () => {
  const text = shown([
    delegated,
    child("a", { state: "waiting" }),
    child("a"),
    child("a", { toolCalls: 3 }),
    child("c", { depth: 2, parentAgentId: asId<AgentId>("a"), agent: "test" }),
    child("c", { depth: 2, parentAgentId: asId<AgentId>("a"), agent: "test", ...ended, state: "failed" }),
    child("a", ended),
    child("a", ended),
    finished("1", "{}", false, "delegate_task"),
  ]);
  assert.equal(
    text,
    [
      "┊ ▸ agent: part a",
      "┊   ▸ agent test: part c",
      "┊   ✗ agent test: part c failed, 2 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊ ✓ agent: part a 2 s · 2 calls · 3000 tokens · $0.0100 · 5 % context",
      "┊ * delegate_task 2 tasks ✓ 12 ms",
      "",
    ].join("\n"),
  );
});

test("a background child prints a line when it ends, even after the turn", () => {
  const over: AgentEventBody = {
    type: "turn.finished",
    turnId: asId("t"),
    outcome: { reason: "answered", text: "", usage: noUsage, modelCalls: 1, toolCalls: 0 },
  };
  const text = shown([child("a", { isBackground: true }), over, child("a", { isBackground: true, ...ended })], {
    live: () => {},
  });
  assert.match(text, /▸ agent: part a\n[^]*✓ agent: part a 2 s/u);
});

test("with tool progress off, children are not shown", () => {
  assert.equal(shown([delegated, child("a"), child("a", ended)], { toolProgress: "off" }), "");
});

test("retries count down in one live line; without live lines each one is a line", () => {
  const failed = (number: number) =>
    ({
      type: "model.failed",
      error: { kind: "network", message: "nothing listens" },
      next: "retry",
      how: "retrying",
      waitMs: 3_000,
      retry: { number, of: 2 },
    }) as const;
  const live: string[] = [];
  const text = shown([failed(1), 2_000, 2_000, failed(2), 1_000, textDelta("hi")], {
    live: (lines) => void live.push(lines.join("|")),
  });
  assert.equal(text, "hi");
  assert.deepEqual(live, [
    "↻ nothing listens: retrying in 3 s (1 of 2)",
    "↻ nothing listens: retrying in 2 s (1 of 2)",
    "↻ nothing listens: retrying in 1 s (1 of 2)",
    "↻ nothing listens: retrying (1 of 2)",
    "↻ nothing listens: retrying in 3 s (2 of 2)",
    "↻ nothing listens: retrying in 2 s (2 of 2)",
    "",
  ]);
  assert.equal(
    shown([textDelta("half"), failed(1), textDelta("whole")], { live: () => {} }),
    "half\n↻ nothing listens: the answer starts again\nwhole",
  );
  assert.equal(shown([failed(1), failed(2)]), "↻ nothing listens: retrying\n↻ nothing listens: retrying\n");
});
