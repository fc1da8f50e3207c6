import assert from "node:assert/strict";
import { test } from "node:test";

import { patchOf, testOneFilePatch, refusesHunks } from "../../../../test/support/patch-case.ts";
import { applyPatch } from "./apply-patch.ts";
import { parsePatch } from "./parse-patch.ts";

const abc = "a\nb\nc\n";

testOneFilePatch("blanks at line ends of the file", "a  \nb\t\nc\n", ["@@", " a", "-b", "+B", " c"], "a  \nB\nc\n");
testOneFilePatch("blanks at line ends of the patch", abc, ["@@", " a  ", "-b \t", "+B"], "a\nB\nc\n");
testOneFilePatch("blanks on a blank line of the file", "a\n   \nb\n", ["@@", " a", "", "-b"], "a\n   \n");
testOneFilePatch("blanks on a blank line of the patch", "a\n\nb\n", ["@@", " a", "     ", "-b"], "a\n\n");
testOneFilePatch("an exact place comes before one with drift", "b  \nm\nb\n", ["@@", "-b", "+B"], "b  \nm\nB\n");
testOneFilePatch("typographic quotes in context", "it’s “so”\nb\n", ["@@", ` it's "so"`, "-b", "+B"], "it’s “so”\nB\n");
testOneFilePatch("typographic signs in a removed line", "a – b\nc\n", ["@@", "-a - b", "+x"], "x\nc\n");
testOneFilePatch("odd blanks", "a\u00a0b\nc\n", ["@@", "-a b", "+x y"], "x y\nc\n");
testOneFilePatch("an ellipsis in context", "wait…\nb\n", ["@@", " wait...", "-b", "+B"], "wait…\nB\n");
testOneFilePatch(
  "a letter in parts in context",
  "cafe\u0301\nb\n",
  ["@@", " caf\u00e9", "-b", "+B"],
  "cafe\u0301\nB\n",
);
testOneFilePatch("a long dash as one", "a — b\nc\n", ["@@", " a - b", "-c", "+C"], "a — b\nC\n");
testOneFilePatch("a long dash as two", "a — b\nc\n", ["@@", " a -- b", "-c", "+C"], "a — b\nC\n");
testOneFilePatch("an en quad", "a\u2000b\nc\n", ["@@", " a b", "-c", "+C"], "a\u2000b\nC\n");
testOneFilePatch("escapes and $& are text", "b\n", ["@@", "-b", "+$& $1 \\1 \\n"], "$& $1 \\1 \\n\n");
refusesHunks("a zero-width blank", "a\u200bb\nc\n", ["@@", " ab", "-c", "+C"], /not in the file/);
refusesHunks("an ellipsis that would change with the line", "wait…\n", ["@@", "-wait...", "+go..."], /not in the file/);
refusesHunks(
  "a letter in parts that would change with the line",
  "cafe\u0301 a\n",
  ["@@", "-caf\u00e9 a", "+caf\u00e9 b"],
  /not in the file/,
);
refusesHunks("a long dash that would change with the line", "a — b\n", ["@@", "-a -- b", "+a -- c"], /not in the file/);
testOneFilePatch("plain quotes in the file", `it's\nb\n`, ["@@", " it’s", "-b"], `it's\n`);
testOneFilePatch(
  "context without its sign",
  "  if x:\n    y()\n",
  ["@@", "  if x:", "-    y()", "+    z()"],
  "  if x:\n    z()\n",
);
refusesHunks(
  "context with another indentation",
  "\tif x:\n\t\ty()\n",
  ["@@", "     if x:", "-\t\ty()", "+\t\tz()"],
  /not in the file/,
);
refusesHunks("drift at two places", "b \nm\nb\t\n", ["@@", "-b", "+B"], /fits at 2 places/);
refusesHunks(
  "another indentation throughout",
  "    a()\n    b()\n",
  ["@@", " a()", "-b()", "+c()"],
  /not in the file.*Nearest:\n {2}1\| {5}a\(\)/s,
);
refusesHunks("another indentation of a removed line", "    b()\n", ["@@", "-b()"], /not in the file/);
refusesHunks(
  "another indentation of context, with nothing else",
  "    a()\n",
  ["@@", " a()", "+b()"],
  /not in the file/,
);
refusesHunks("a tab for blanks in a removed line", "\tb\n", ["@@", "-    b"], /not in the file/);
refusesHunks("other blanks inside a line", "a  b\n", ["@@", "-a b"], /not in the file/);
refusesHunks("blanks where there are none", "f(a,b)\n", ["@@", "-f(a, b)"], /not in the file/);
refusesHunks(
  "a typographic sign that would change with the line",
  "it’s slow\n",
  ["@@", "-it's slow", "+it's fast"],
  /not in the file/,
);
refusesHunks(
  "a typographic sign that would change at one of two places",
  "it’s a\nm\nit's\u00a0a\n",
  ["@@", "-it's a", "+it's b"],
  /not in the file/,
);
refusesHunks("an escape sequence is not interpreted", "a\tb\n", ["@@", "-a\\tb"], /not in the file/);

test("drift is reported, exact matches are not", () => {
  const patch = parsePatch(patchOf("*** Update File: f", "@@", "-a", "+A", "@@", "-b", "+B"));
  assert.ok(patch.ok);
  const applied = applyPatch(patch.value, () => ({ kind: "file", text: "a\nb \n" }));
  assert.ok(applied.ok);
  assert.deepEqual(applied.value.drifts, ["f: line 2, hunk at line 6: blanks at line ends differ"]);
});
