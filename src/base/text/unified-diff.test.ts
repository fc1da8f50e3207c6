import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { unifiedDiff } from "./unified-diff.ts";

const diff = (before: string, after: string, maxChars?: number) =>
  unifiedDiff({ name: "a/x", text: before }, { name: "b/x", text: after }, maxChars);

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

test("distant changes are separate hunks with three lines of context", () => {
  const before = numbers(1, 30);
  const after = before.replace("5\n", "five\n").replace("25\n", "");
  assert.equal(
    diff(before, after),
    "--- a/x\n+++ b/x\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n" +
      "@@ -22,7 +22,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28",
  );
});

test("diffs of new files, emptied files and missing final newlines look like the output of diff", () => {
  assert.equal(diff("", "a\n"), "--- a/x\n+++ b/x\n@@ -0,0 +1,1 @@\n+a");
  assert.equal(diff("a\n", ""), "--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-a");
  assert.equal(diff("a\n", "a"), "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file");
  assert.equal(diff("a", "a"), "");
});

test("applying a diff to the old text gives the new text", () => {
  const text = fc.array(fc.constantFrom("a\n", "b\n", "c\n", "\n"), { maxLength: 40 }).map((lines) => lines.join(""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      assert.equal(laidOver(before, diff(before, after, Infinity)), after);
    }),
    { numRuns: 300 },
  );
});

function laidOver(before: string, shown: string): string {
  const old = before.split("\n").slice(0, -1);
  const result: string[] = [];
  let offset = 0;
  for (const line of shown.split("\n").slice(2)) {
    const header = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/u.exec(line)?.slice(1).map(Number);
    if (header) {
      const [start = 0, count = 0, newStart = 0, newCount = 0] = header;
      while (offset < (count === 0 ? start : start - 1)) result.push(old[offset++] ?? "");
      assert.equal(result.length, newCount === 0 ? newStart : newStart - 1);
      continue;
    }
    if (line.startsWith("+")) result.push(line.slice(1));
    else {
      assert.equal(line.slice(1), old[offset++]);
      if (line.startsWith(" ")) result.push(line.slice(1));
    }
  }
  return [...result, ...old.slice(offset)].map((line) => `${line}\n`).join("");
}

test("a diff marks as few lines as possible as changed", () => {
  const changed = (before: string, after: string) =>
    diff(before, after)
      .split("\n")
      .slice(3)
      .filter((line) => /^[-+]/u.test(line)).length;
  assert.equal(changed("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n"), 5);
});

test("a long diff has a limited size, and its time is proportional to the number of lines", async () => {
  await assertGrowsLinearly(50_000, (size) => {
    const before = numbers(1, size);
    const shown = diff(before, before.replaceAll("7", "seven"), 2000);
    assert.ok(shown.length < 2200);
    assert.match(shown, /… \d+ more lines of the diff$/u);
  });
});
