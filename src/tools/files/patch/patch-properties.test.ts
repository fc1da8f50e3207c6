import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { answerTo, patchOf } from "../../../../test/support/patch-case.ts";
import { testSize } from "../../../../test/support/test-size.ts";
import { checkPatchLine } from "./check-lines.ts";

/** Lines that repeat often, look similar and are sometimes blank. */
const line = fc.constantFrom("", "a", "b", "  a", "  b", "def a():", "x = 1", "}", "a ", "“a”", "- a", "*** a", "@@");
const content = fc.array(line, { maxLength: 14 });

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly string[];
}

/** Edits of a file, in order and without overlap. */
function editsOf(lines: readonly string[]): fc.Arbitrary<readonly Edit[]> {
  const edit = fc.record({
    at: fc.nat(lines.length),
    removed: fc.nat(2),
    added: fc.array(line, { maxLength: 3 }),
  });
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => {
    const apart: Edit[] = [];
    let free = 0;
    for (const { at: index, removed, added } of edits.toSorted((a, b) => a.at - b.at)) {
      const count = Math.min(removed, lines.length - index);
      if (index < free || (count === 0 && added.length === 0)) continue;
      apart.push({ at: index, removed: count, added });
      free = index + count + 1;
    }
    return apart;
  });
}

const pair = content
  .chain((before) => fc.tuple(fc.constant(before), editsOf(before)))
  .filter(([, edits]) => edits.length > 0);

/** Creates a hunk for each edit, with this many lines of context on either side. */
function hunksOf(lines: readonly string[], edits: readonly Edit[], context: number): readonly (readonly string[])[] {
  return edits.map(({ at: offset, removed, added }, index) => {
    const above = edits[index - 1];
    const from = Math.max(above === undefined ? 0 : above.at + above.removed, offset - context);
    const to = Math.min(edits[index + 1]?.at ?? lines.length, offset + removed + context);
    return [
      ...lines.slice(from, offset).map((text) => ` ${text}`),
      ...lines.slice(offset, offset + removed).map((text) => `-${text}`),
      ...added.map((text) => `+${text}`),
      ...lines.slice(offset + removed, to).map((text) => ` ${text}`),
    ];
  });
}

function edited(lines: readonly string[], edits: readonly Edit[]): readonly string[] {
  return edits.reduceRight<readonly string[]>(
    (now, { at: index, removed, added }) => now.toSpliced(index, removed, ...added),
    lines,
  );
}

function text(lines: readonly string[], end = "\n"): string {
  return lines.map((each) => each + end).join("");
}

function patchFor(hunks: readonly (readonly string[])[]): string {
  return patchOf("*** Update File: f", ...hunks.flatMap((hunk) => ["@@", ...hunk]));
}

/** Returns every literal result of the hunks: exact lines, in order, no change inside another hunk. */
function allResults(lines: readonly string[], hunks: readonly (readonly string[])[]): readonly string[] {
  const results: string[] = [];
  const isAppended = (hunk: readonly string[]) => hunk.every((each) => each.startsWith("+"));
  const placed = hunks.filter((hunk) => !isAppended(hunk));
  const appended = hunks.filter(isAppended).flatMap((hunk) => hunk.map((each) => each.slice(1)));
  function place(index: number, changedTo: number, usedTo: number, done: readonly string[], kept: number): void {
    const hunk = placed[index];
    if (hunk === undefined) {
      results.push(text([...done, ...lines.slice(kept), ...appended]));
      return;
    }
    const old = hunk.filter((each) => !each.startsWith("+")).map((each) => each.slice(1));
    const first = hunk.findIndex((each) => !each.startsWith(" "));
    const last = hunk.findLastIndex((each) => !each.startsWith(" "));
    const until = hunk.slice(0, last + 1).filter((each) => !each.startsWith("+")).length;
    for (let start = changedTo; start + old.length <= lines.length; start++) {
      if (start + first < usedTo || !old.every((each, offset) => each === lines[start + offset])) continue;
      const next = [...done, ...lines.slice(kept, start + first)];
      next.push(...hunk.slice(first, last + 1).flatMap((each) => (each.startsWith("-") ? [] : each.slice(1))));
      place(index + 1, start + until, start + old.length, next, start + until);
    }
  }
  place(0, 0, 0, [], 0);
  return results;
}

test("an unambiguous patch is applied exactly, and an ambiguous one is rejected", () => {
  fc.assert(
    fc.property(pair, fc.nat(3), ([before, edits], context) => {
      const hunks = hunksOf(before, edits, context);
      const answer = answerTo({ f: text(before) }, patchFor(hunks));
      const readings = allResults(before, hunks);
      if (readings.length === 1) assert.deepEqual(answer, { id: 1, ok: true, files: { f: readings[0] } });
      else assert.equal(answer.ok, false, answer.error);
    }),
    { numRuns: 1500 },
  );
});

test("a patch with all lines as context always produces the intended file", () => {
  fc.assert(
    fc.property(pair, fc.constantFrom("\n", "\r\n"), fc.boolean(), fc.boolean(), ([lines, edits], end, bom, ended) => {
      const before = ["first", ...lines, "last"];
      const whole = edits.map((edit) => ({ ...edit, removed: Math.min(edit.removed, lines.length - edit.at) }));
      const [hunk] = hunksOf(before, whole.slice(0, 1), before.length);
      const written = (all: readonly string[]) =>
        (bom ? "\uFEFF" : "") + (ended ? text(all, end) : text(all, end).slice(0, -end.length));
      const patch = patchOf("*** Update File: f", "@@", ...(hunk ?? []), "*** End of File");
      const answer = answerTo({ f: written(before) }, patch);
      assert.deepEqual(answer.files, { f: written(edited(before, whole.slice(0, 1))) }, answer.error);
    }),
    { numRuns: 400 },
  );
});

test("a patch with a damaged line, less context or extra white space is rejected or applied as intended", () => {
  const spoil = fc.constantFrom("word", "fewer", "blanks", "swap", "empty", "twice");
  fc.assert(
    fc.property(pair, spoil, fc.nat(), ([before, edits], how, seed) => {
      const hunks = hunksOf(before, edits, 3);
      const intended = allResults(before, hunks);
      fc.pre(intended.length === 1);
      const index = seed % hunks.length;
      const hunk = hunks[index] ?? [];
      const offset = seed % Math.max(1, hunk.length);
      const old = hunk[offset]?.startsWith("+") === false;
      const spoiled = {
        word: () => (old ? hunk.with(offset, `${hunk[offset]}§`) : hunk),
        fewer: () => (hunk[0]?.startsWith(" ") === true ? hunk.slice(1) : hunk),
        blanks: () => hunk.map((each) => (each.startsWith("+") ? each : `${each}  `)),
        swap: () => hunk,
        empty: () => hunk.map((each) => (each === " " ? "" : each)),
        twice: () => (old ? hunk.toSpliced(offset, 0, `${hunk[offset]}`) : hunk),
      }[how]();
      const given = hunks.with(index, spoiled);
      const answer = answerTo({ f: text(before) }, patchFor(how === "swap" ? given.toReversed() : given));
      // The result of a damaged hunk may already be in the file.
      const others = how === "word" || how === "twice" ? allResults(before, hunks.toSpliced(index, 1)) : [];
      // A duplicate line, or hunks in another order, can be an exact match elsewhere.
      const exact = allResults(before, how === "swap" ? given.toReversed() : given);
      const possible = [...(how === "word" && old ? [] : intended), ...(exact.length === 1 ? exact : []), ...others];
      if (answer.ok) assert.ok(possible.includes(answer.files["f"] ?? ""));
    }),
    { numRuns: 1500 },
  );
});

test("parsing and applying any text never throws, and every rejection has a line", () => {
  const piece = fc.oneof(
    fc.constantFrom("*** Begin Patch", "*** End Patch", "*** Update File: f", "*** Add File: g", "*** Delete File: f"),
    fc.constantFrom("*** Move to: h", "*** End of File", "*** Move File: f -> g", "@@", "@@ a", "@@ -1 +1 @@", "\\ x"),
    fc.tuple(fc.constantFrom(" ", "+", "-", ""), line).map(([sign, each]) => sign + each),
    fc.string({ maxLength: 6 }),
  );
  const anything = fc.array(piece, { maxLength: 16 }).map((lines) => lines.join("\n"));
  fc.assert(
    fc.property(
      content,
      fc.oneof(
        anything,
        anything.map((lines) => patchOf(lines)),
      ),
      (before, patch) => {
        const answer = answerTo({ f: text(before) }, patch);
        if (!answer.ok) assert.match(answer.error ?? "", /^line [1-9]\d*: ./u);
      },
    ),
    { numRuns: 400 },
  );
});

test("checking any input line never throws", () => {
  for (const input of [
    "",
    "null",
    "[]",
    "7",
    "{",
    '{"id":1}',
    '{"files_before":{"a":1},"patch":""}',
    '{"files_before":{},"patch":7}',
  ]) {
    const { ok, line: answer } = checkPatchLine(input);
    assert.equal(ok, false);
    assert.equal((JSON.parse(answer) as { ok: boolean }).ok, false);
  }
  fc.assert(
    fc.property(fc.json(), (input) => {
      assert.equal(typeof checkPatchLine(input).line, "string");
    }),
    { numRuns: 300 },
  );
});

test("the time for large files and hostile patches grows linearly with their size", async () => {
  type PatchCase = readonly [name: string, lines: readonly string[], hunks: readonly string[], ok: boolean | undefined];
  const casesOf = (count: number): readonly PatchCase[] => {
    const many = Array.from({ length: count }, (_, index) => `line ${index}${index % 3 === 0 ? "  " : ""}`);
    const same = Array.from({ length: count }, () => "x");
    const middle = Math.floor(count / 2);
    const everyTenth = Array.from({ length: count / 10 }, (_, index) => [
      "@@",
      ` line ${index * 10}`,
      `-line ${index * 10 + 1}`,
      "+new",
    ]);
    const withHint = Array.from({ length: count / 25 }, (_, index) => ["@@ no such line", `-line ${index}`]);
    return [
      ["one hunk with drift", many, [`-line ${middle}`, "+new"], true],
      ["a hunk for every tenth line", many, everyTenth.flat(), true],
      ["one hunk that matches nothing", many, [`-line ${middle}`, `-line ${middle + 2}`, "+new"], false],
      ["equal lines, half of them", same, same.slice(0, middle).map((line) => `-${line}`), false],
      // Whether the patch applies depends on the limit for hunks.
      ["equal lines, a hunk for each", same, same.flatMap((line) => ["@@", `-${line}`]), undefined],
      ["equal lines, below a hint that matches everywhere", same, ["@@ x", "-x"], false],
      ["equal lines, below many such hints", same, [...Array.from({ length: 200 }, () => "@@ x"), "-x"], false],
      ["hints that match nothing", many, withHint.flat(), false],
    ];
  };
  const max = testSize({ quick: 8_000, full: 50_000 });
  const cases = new Map([casesOf(max), casesOf(max / 8)].map((list) => [list[0]?.[1].length, list]));
  for (const [index, [name]] of casesOf(1_000).entries())
    await assertGrowsLinearly(
      max,
      (size) => {
        const [, lines, hunks, ok] = cases.get(size)?.[index] ?? assert.fail();
        const answer = answerTo({ f: text(lines) }, patchOf("*** Update File: f", ...hunks));
        assert.equal(answer.ok, ok ?? answer.ok, `${name}: ${answer.error}`);
      },
      name,
    );
});
