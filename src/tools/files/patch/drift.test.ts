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
testOneFilePatch("odd blanks that stay", "a\u00a0b\nc\n", ["@@", "-a b", "+a c"], "a\u00a0c\nc\n");
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
testOneFilePatch("plain quotes in the file", `it's\nb\n`, ["@@", " it’s", "-b"], `it's\n`);
testOneFilePatch(
  "context without its sign",
  "  if x:\n    y()\n",
  ["@@", "  if x:", "-    y()", "+    z()"],
  "  if x:\n    z()\n",
);
testOneFilePatch(
  "a line that replaces one is indented like it, although its neighbours differ",
  "f(\n  a,\n) {\n  if (x) {\n",
  ["@@ f(", "a,", ") {", "-  if (x) {", "+  if (y) {"],
  "f(\n  a,\n) {\n  if (y) {\n",
);
testOneFilePatch(
  "line numbers before all lines",
  "one\ntwo\nthree\n",
  ["@@", " 1\tone", "- 2\ttwo", "+ 2\tTWO", " 3\tthree"],
  "one\nTWO\nthree\n",
);
refusesHunks(
  "a line that is added below one that is removed elsewhere",
  "f(\n  a,\n) {\n    x\n",
  ["@@ f(", "-a,", " ) {", "+b", " x"],
  /indentation/,
);
refusesHunks("drift at two places", "b \nm\nb\t\n", ["@@", "-b", "+B"], /fits at 2 places/);
refusesHunks("blanks where there are none", "f(a,b)\n", ["@@", "-f(a, b)"], /not in the file/);
testOneFilePatch("an ellipsis in a changed line", "wait…\n", ["@@", "-wait...", "+go..."], "go…\n");
testOneFilePatch(
  "a letter in parts in a changed line",
  "cafe\u0301 a\n",
  ["@@", "-caf\u00e9 a", "+caf\u00e9 b"],
  "cafe\u0301 b\n",
);
testOneFilePatch("a long dash in a changed line", "a — b\n", ["@@", "-a -- b", "+a -- c"], "a — c\n");
testOneFilePatch(
  "a typographic sign in a changed line",
  "it’s slow\n",
  ["@@", "-it's slow", "+it's fast"],
  "it’s fast\n",
);
testOneFilePatch(
  "typographic signs of the patch alone",
  "say('a')\n",
  ["@@", "-say(‘a’)", "+say(‘b’, ‘c’)"],
  "say('b', 'c')\n",
);
testOneFilePatch("full-width signs in the patch", "f(a, b)\n", ["@@", "-f（a， b）", "+f（b）"], "f(b)\n");
testOneFilePatch("a sign made typographic on purpose", "it's\nb\n", ["@@", "-it's", "+it’s", " b"], "it’s\nb\n");
testOneFilePatch(
  "another indentation throughout",
  "    a()\n    b()\n",
  ["@@", " a()", "-b()", "+c()", "+d()"],
  "    a()\n    c()\n    d()\n",
);
testOneFilePatch(
  "another indentation of context alone",
  "    a()\n    x()\n",
  ["@@", " a()", "+b()"],
  "    a()\n    b()\n    x()\n",
);
testOneFilePatch(
  "a blank after every sign",
  "a()\nif b:\n    c()\n",
  ["@@", "  a()", "- if b:", "+ if d:", "      c()"],
  "a()\nif d:\n    c()\n",
);
testOneFilePatch(
  "blanks for tabs",
  "\tif x {\n\t\ty()\n\t}\n",
  ["@@", "     if x {", "-        y()", "+        for {", "+            y()", "+        }", "     }"],
  "\tif x {\n\t\tfor {\n\t\t\ty()\n\t\t}\n\t}\n",
);
testOneFilePatch(
  "a tab for blanks in context",
  "\tif x:\n\t\ty()\n",
  ["@@", "     if x:", "-\t\ty()", "+\t\tz()"],
  "\tif x:\n\t\tz()\n",
);
testOneFilePatch("other blanks inside a line", "a  = 1\nb\n", ["@@", "-a = 1", "+a = 2", " b"], "a = 2\nb\n");
testOneFilePatch("context keeps its blanks", "a   =  1  \nb\n", ["@@", " a = 1", "-b", "+B"], "a   =  1  \nB\n");
refusesHunks("other blanks inside a string", `p("a  b")\n`, ["@@", `-p("a b")`], /not in the file/);
refusesHunks(
  "another nesting",
  "if x:\n    a()\n    b()\n",
  ["@@", " if x:", "     a()", "-b()", "+c()"],
  /line 1 of the file except for white space.*indentation/s,
);
testOneFilePatch("a hyphen for a long dash in a changed line", "a — b\n", ["@@", "-a - b", "+a - c"], "a — c\n");
testOneFilePatch("dots for lines between", "a\nb\nc\nd\n", ["@@", " a", " ...", "-c", "+C"], "a\nb\nC\nd\n");
testOneFilePatch("dots that are in the file", "a\n...\nc\n", ["@@", " a", " ...", "-c", "+C"], "a\n...\nC\n");
refusesHunks(
  "dots before lines that fit twice",
  "a\nb\nc\nd\nc\n",
  ["@@", " a", " ...", "-c", "+C"],
  /fits at 2 places/,
);
refusesHunks("drift that fits twice", "  b()\nm\n\tb()\n", ["@@", "-b()", "+B()"], /fits at 2 places/);
refusesHunks(
  "a prime is named",
  "wide 5′ and more\n",
  ["@@", "-wide 5' and more", "+x"],
  /Nearest:\n {2}1\| wide.*\n {2}line 1: ′ \(U\+2032\) in the file, ' in yours/s,
);
testOneFilePatch(
  "typographic signs in other hunks of the patch",
  'say("a")\nb\nc\n',
  ["@@", "-say(“a”)", "+say(“x”)", "@@", " c", "+say(“d”)"],
  'say("x")\nb\nc\nsay("d")\n',
);
refusesHunks("an escape sequence is not interpreted", "a\tb\n", ["@@", "-a\\tb"], /not in the file/);

test("inexact matches are reported, and exact matches are not", () => {
  const patch = parsePatch(patchOf("*** Update File: f", "@@", "-a", "+A", "@@", "-b", "+B"));
  assert.ok(patch.ok);
  const applied = applyPatch(patch.value, () => ({ kind: "file", text: "a\nb \n" }));
  assert.ok(applied.ok);
  assert.deepEqual(applied.value.drifts, ["f: line 2, hunk at line 6: blanks at line ends differ"]);
});
refusesHunks(
  "an added line that stands for omitted code",
  "a\nb\n",
  ["@@", " a", "-b", "+// ... existing code ..."],
  /left out/,
);
