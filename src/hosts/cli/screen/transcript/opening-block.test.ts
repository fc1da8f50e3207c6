import assert from "node:assert/strict";
import { test } from "node:test";

import { textWidth } from "../../../../base/text/text-width.ts";
import { version } from "../../../../base/version.ts";
import { createPaint } from "../../paint.ts";
import { english } from "../texts/english.ts";
import { openingBlock, type OpeningBlockFacts } from "./opening-block.ts";
import { createPlainTheme } from "./plain-theme.ts";

const facts: OpeningBlockFacts = {
  model: "groq/llama-3.3-70b",
  contextTokens: 128_000,
  isOffline: false,
  isNewcomer: false,
  folder: "~/project",
  sessionId: "20260101_101010_abcdef",
  profile: "work",
  toolsets: [
    { name: "file", tools: ["patch", "read_file", "search_files", "write_file"] },
    { name: "terminal", tools: ["process", "terminal"] },
    ...Array.from({ length: 8 }, (_, index) => ({ name: `set${index}`, tools: [`tool${index}`] })),
  ],
  servers: [],
  skills: 12,
};
const theme = createPlainTheme(createPaint(false));
const block = (columns: number, more: Partial<OpeningBlockFacts> = {}) =>
  openingBlock({ ...facts, ...more }, { theme, texts: english.transcript, columns });

test("tools are listed by toolset in at most eight rows, followed by totals", () => {
  assert.deepEqual(block(80), [
    `Hermes ${version} · groq/llama-3.3-70b (128k) · profile work · ~/project`,
    "20260101_101010_abcdef",
    "  file           patch, read_file, search_files, write_file",
    "  terminal       process, terminal",
    "  set0           tool0",
    "  set1           tool1",
    "  set2           tool2",
    "  set3           tool3",
    "  set4           tool4",
    "  … 3 more toolsets (/tools)",
    "14 tools · 12 skills · /help · Ctrl-P palette · Esc interrupts · Ctrl-D exits",
    "",
  ]);
});

test("a narrow window shows only totals, and every line fits", () => {
  assert.deepEqual(block(40), [
    `Hermes ${version} · groq/llama-3.3-70b (128k)`,
    "profile work · ~/project",
    "20260101_101010_abcdef",
    "14 tools · 12 skills · /help · Esc",
    "interrupts",
    "",
  ]);
  const many = Array.from({ length: 30 }, (_, index) => `a_rather_long_name_${index}`);
  for (const columns of [40, 61, 80, 200])
    for (const line of block(columns, {
      toolsets: [{ name: "漢字".repeat(9), tools: many }],
      isNewcomer: columns > 80,
    }))
      assert.ok(textWidth(line) <= columns, `${columns}: ${line}`);
  assert.match(block(80, { toolsets: [{ name: "x", tools: many }] })[2] ?? "", /_name_0, .* \+28$/u);
});
