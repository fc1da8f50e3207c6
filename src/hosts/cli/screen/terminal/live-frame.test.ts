import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { createTerminalEmulator } from "../../../../../test/support/terminal-emulator.ts";
import type { Drawn } from "../parts.ts";
import { createLiveFrame } from "./live-frame.ts";
import { changeOf } from "./row-change.ts";

const always = {
  isSynchronized: () => true,
  reflows: () => true,
  reflowsCursorRow: () => false,
  driftsDown: () => true,
};

const words = fc.constantFrom(
  "word",
  "\x1b[1mbold\x1b[22m",
  "\x1b[31mred\x1b[39m text",
  "\x1b[38;5;74mblue",
  "\x1b[1;32mgreen\x1b[0m",
  "日本語",
  "é\u0301",
  "👩‍💻",
  "─────",
  " ",
  "\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\",
);
const line = fc.array(words, { maxLength: 9 }).map((parts) => parts.join(" "));
const step = fc.record({
  finished: fc.array(line, { maxLength: 6 }),
  live: fc.array(line, { minLength: 1, maxLength: 8 }),
  row: fc.nat({ max: 7 }),
  column: fc.nat({ max: 60 }),
  resize: fc.option(fc.record({ columns: fc.integer({ min: 20, max: 70 }), rows: fc.integer({ min: 9, max: 20 }) }), {
    freq: 5,
    nil: undefined,
  }),
});

/** Cuts lines to the width, as the parts of the screen do. */
function fitted(text: string, columns: number): string {
  return changeOf("", text, columns) === undefined ? "" : cutTo(text, columns);
}

function cutTo(text: string, columns: number): string {
  let shown = text;
  while (widthOf(shown) > columns) shown = shown.trimEnd().replace(/\S+$/u, "");
  return shown;
}

function widthOf(text: string): number {
  return Array.from(text.replaceAll(escapes, "")).length * 2;
}

test("incremental updates give the same window as a full redraw, and finished lines are written once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let space = { columns: 60, rows: 14 };
      using changed = createTerminalEmulator(space);
      const frame = createLiveFrame(always);
      const written: string[] = [];
      for (const [index, { finished, live, row, column, resize }] of steps.entries()) {
        if (resize) {
          space = resize;
          changed.resize(space.columns, space.rows);
        }
        const own = finished.map((text) => fitted(text, space.columns));
        const lines = [...live.map((text) => fitted(text, space.columns)), "the end"].slice(-space.rows);
        const cursor = { row: Math.min(row, lines.length - 1), column: Math.min(column, space.columns - 1) };
        const drawn: Drawn = { lines, cursor };
        changed.add(frame.draw(own, drawn, space).bytes);
        written.push(...own.map(plain));
        const everything = await changed.everything();
        const end = everything.findLastIndex((text) => text !== "") + 1;
        assert.deepEqual(everything.slice(0, end).slice(-lines.length), lines.map(plain));
        const position = await changed.cursor();
        const screen = await changed.screen();
        assert.equal(screen[position.row], plain(lines[cursor.row] ?? ""));
        assert.equal(position.column, cursor.column);
        if (index < steps.length - 1) continue;
        using whole = createTerminalEmulator(space);
        whole.add(createLiveFrame(always).draw([], drawn, space).bytes);
        const top = position.row - cursor.row;
        const painted = (await changed.cells()).slice(top, top + lines.length);
        assert.deepEqual(painted, (await whole.cells()).slice(0, lines.length));
      }
      const shown = (await changed.everything()).join("\n");
      const marked = written.filter((text) => text !== "");
      let from = 0;
      for (const text of marked) {
        const index = shown.indexOf(text, from);
        assert.ok(index >= 0, `lost: ${text}\n${shown}`);
        from = index + text.length;
      }
    }),
    { numRuns: 40 },
  );
});

// oxlint-disable-next-line no-control-regex -- escape sequences are what it removes
const escapes = /\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\/gu;

function plain(text: string): string {
  return text.replaceAll(escapes, "").trimEnd();
}

test("a growing line costs only its new characters and two cursor moves", () => {
  const frame = createLiveFrame(always);
  const space = { columns: 80, rows: 24 };
  const rows = (text: string) => ({ lines: [text, "────", "❯ ", "status"], cursor: { row: 2, column: 2 } });
  frame.draw([], rows("the quick"), space);
  assert.equal(frame.draw([], rows("the quick brown"), space).bytes, "\x1b[2A\x1b[10G brown\n\n\x1b[3G");
  assert.equal(frame.draw([], rows("the quick brown"), space).bytes, "");
});

test("a finished line that was live is not written again", () => {
  const frame = createLiveFrame(always);
  const space = { columns: 80, rows: 24 };
  const cursor = { row: 1, column: 2 };
  frame.draw([], { lines: ["first line", "❯ ", "status"], cursor }, space);
  const bytes = frame.draw(["first line"], { lines: ["second", "❯ ", "status"], cursor }, space).bytes;
  assert.doesNotMatch(bytes, /first line|status|❯/u);
  assert.match(bytes, /second/u);
});

test("a live line that is too long or has control characters stays one row; a finished one wraps", async () => {
  const space = { columns: 20, rows: 6 };
  using terminal = createTerminalEmulator(space);
  const frame = createLiveFrame(always);
  const long = "long ".repeat(7);
  terminal.add(frame.draw([long], { lines: ["a\tb\x07c", "日".repeat(30)] }, space).bytes);
  assert.deepEqual((await terminal.screen()).slice(0, 4), [
    "long long long long",
    "long long long",
    "a bc",
    "日".repeat(10),
  ]);
  assert.equal((await terminal.everything())[0], long.trimEnd());
});
