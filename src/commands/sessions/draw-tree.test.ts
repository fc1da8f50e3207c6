import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type EntryId } from "../../base/ids.ts";
import type { Branch, Exchange, SessionTree } from "../../contracts/session/session-tree.ts";
import { drawTree } from "./draw-tree.ts";

const now = new Date(2026, 10, 15, 10, 0).getTime();
const id = asId<EntryId>("e1");

/** Builds a tree from `[after, words]` for each exchange and the last exchange of each branch. */
function tree(
  exchanges: readonly (readonly [number, string])[],
  branches: Readonly<Record<string, number>>,
  current: string,
): SessionTree {
  return {
    exchanges: exchanges.map(([after, request], index): Exchange => ({
      number: index + 1,
      entry: id,
      end: id,
      ...(after > 0 && { after }),
      asked: request,
      answered: "",
      calls: 0,
      at: now,
    })),
    branches: Object.entries(branches).map(([name, last]): Branch => ({
      name,
      kind: name === "main" ? "main" : "named",
      tip: id,
      ...(last > 0 && { last }),
      changedAt: now,
      isCurrent: name === current,
    })),
  };
}

const look = { columns: 60, now };

test("the current path is drawn straight down with other branches beside it", () => {
  const drawn = drawTree(
    tree(
      [
        [0, "build a parser"],
        [1, "use a generator"],
        [2, "and run it"],
        [1, "write it by hand"],
        [4, "now test it"],
        [3, "faster"],
        [2, "or slower"],
      ],
      { main: 5, gen: 6, slow: 7 },
      "main",
    ),
    look,
  );
  assert.deepEqual(drawn.split("\n"), [
    "● 1  10:00  build a parser",
    "├─● 2  10:00  use a generator",
    "│ ├─● 7  10:00  or slower  [slow]",
    "│ ● 3  10:00  and run it",
    "│ ● 6  10:00  faster  [gen]",
    "● 4  10:00  write it by hand",
    "◉ 5  10:00  now test it  [main] ← here",
  ]);
});

test("long runs are folded unless `all` is given, and text is cut to the width", () => {
  const long = Array.from({ length: 20 }, (_, index) => [index, "w".repeat(100)] as const);
  const longTree = tree(long, { main: 20 }, "main");
  const folded = drawTree(longTree, look).split("\n");
  assert.deepEqual(
    folded.map((line) => line.slice(0, 9).trim()),
    ["● 1  10:0", "● 2  10:0", "┊ 15 more", "● 18  10:", "● 19  10:", "◉ 20  10:"],
  );
  assert.equal(drawTree(longTree, { ...look, isWhole: true }).split("\n").length, 20);
  for (const line of folded) assert.ok(line.length <= 60, line);
  const wide = drawTree(tree([[0, "漢字".repeat(40)]], { main: 1 }, "main"), look);
  assert.match(wide, /^◉ 1 {2}10:00 {2}[漢字]{13,18}… {2}\[main\] ← here$/u);
});

test("several roots, branches without messages, and an empty tree are drawn", () => {
  const drawn = drawTree(
    tree(
      [
        [0, "one"],
        [0, "two"],
      ],
      { main: 2, "undone-1": 1, empty: 0, twin: 2 },
      "twin",
    ),
    look,
  );
  assert.deepEqual(drawn.split("\n"), [
    "○ 0  beginning  [empty]",
    "├─● 1  10:00  one  [undone-1]",
    "◉ 2  10:00  two  [main] [twin] ← here",
  ]);
  assert.equal(drawTree(tree([], { main: 0 }, "main"), look), "○ 0  no messages yet  [main] ← here");
});
