import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { answerTo, makes, patchOf, refuses } from "../../../../test/support/patch-case.ts";
import { testSize } from "../../../../test/support/test-size.ts";
import { unifiedDiff } from "../../../base/text/unified-diff.ts";

const f = { f: "one\ntwo\nthree\n" };
const names = ["--- a/f", "+++ b/f"];
const hunk = ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"];
const diff = [...names, ...hunk].join("\n");
const changed = { f: "one\n2\nthree\n" };

for (const [name, text] of Object.entries({
  "a plain diff": diff,
  "a line end after it": `${diff}\n`,
  "a diff of git": `diff --git a/f b/f\nindex 1234567..89abcde 100644\n${diff}`,
  "a header of git without names below it": ["diff --git a/f b/f", ...hunk].join("\n"),
  "no prefixes": diff.replace("a/f", "f").replace("b/f", "f"),
  "other prefixes of git": diff.replace("a/f", "i/f").replace("b/f", "w/f"),
  "one prefix": diff.replace("a/f", "f"),
  "two folders": diff.replace("a/f", "project-1.0/f").replace("b/f", "project-1.1/f"),
  "a backup of the file": diff.replace("a/f", "f.orig").replace("b/f", "f"),
  "times after the names": diff.replace(/^(---|\+\+\+) .*$/gmu, "$&\t2024-05-06 07:08:09.123456789 +0200"),
  "times after blanks": diff.replace(/^(---|\+\+\+) .*$/gmu, "$& 2024-05-06 07:08:09"),
  "revisions after the names": `Index: f\n${"=".repeat(67)}\n${diff.replace("a/f", "f\t(revision 3)").replace("b/f", "f\t(working copy)")}`,
  "a quoted name": diff.replaceAll(/[ab]\/f/gu, '"$&"'),
  "a section heading": diff.replace("+1,3 @@", "+1,3 @@ function f() {"),
  "wrong line numbers": diff.replace("@@ -1,3 +1,3 @@", "@@ -40,3 +41,3 @@"),
  "counts that are too small": diff.replace("@@ -1,3 +1,3 @@", "@@ -1,2 +1,2 @@"),
  "counts that are too large": diff.replace("@@ -1,3 +1,3 @@", "@@ -1,9 +1,9 @@"),
  "no numbers": diff.replace("@@ -1,3 +1,3 @@", "@@ ... @@"),
  "a bare @@": diff.replace("@@ -1,3 +1,3 @@", "@@"),
  "CRLF line ends": diff.replaceAll("\n", "\r\n"),
  "a byte order mark": `\uFEFF${diff}`,
  "a code fence": `Here:\n\`\`\`diff\n${diff}\n\`\`\`\nThen test it.`,
  "words after it": `${diff}\n\nDone. This renames it.`,
  "a list after it": `${diff}\n\n- one change\n- no other`,
  "a quote mark before every line": diff.replaceAll(/^/gmu, "> "),
  "blanks before every line": `The diff:\n\n${diff.replaceAll(/^/gmu, "    ")}\n\nEnd`,
  "a heredoc": `patch -p1 <<'EOF'\n${diff}\nEOF\n`,
  "the marks of V4A around it": patchOf(...names, ...hunk),
  "a mail": `From 1234 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\nSubject: [PATCH] x\n\n---\n f | 2 +-\n 1 file changed\n\n${diff}\n-- \n2.47.3\n`,
  "only the old name": diff.replace("+++ b/f\n", ""),
}))
  makes(`one reading: ${name}`, f, text, changed);

const block = "{\n  x();\n}\n";
const twins = { f: `${block}${block}${block}` };
makes(
  "the numbers choose between equal places",
  twins,
  "--- a/f\n+++ b/f\n@@ -4,3 +4,3 @@\n {\n-  x();\n+  y();\n }\n",
  { f: `${block}${block.replace("x", "y")}${block}` },
);
makes(
  "equal places are as far from their numbers as the hunk above",
  { f: `new\n${twins.f.replace("x();", "first();")}` },
  "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n {\n-  first();\n+  1();\n }\n@@ -7,3 +7,3 @@\n {\n-  x();\n+  3();\n }\n",
  { f: `new\n${block.replace("x", "1")}${block}${block.replace("x", "3")}` },
);
makes("lines without context", f, "--- a/f\n+++ b/f\n@@ -2,0 +3,2 @@\n+2a\n+2b\n", { f: "one\ntwo\n2a\n2b\nthree\n" });
makes(
  "lines above the first one, in a diff of git",
  f,
  "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+zero\n",
  {
    f: `zero\n${f.f}`,
  },
);
makes(
  "counts that end before an empty context line",
  { f: "a\n\nb\n\nc\nd\n" },
  "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n \n-b\n+B\n \n-c\n+C\n d\n",
  { f: "a\n\nB\n\nC\nd\n" },
);
makes("a new file", {}, "--- /dev/null\n+++ b/src/n.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n", { "src/n.ts": "a\nb\n" });
makes("a new file without /dev/null", {}, "--- a/n\n+++ b/n\n@@ -0,0 +1 @@\n+a\n", { n: "a\n" });
makes(
  "a new file whose last line does not end",
  {},
  "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n",
  { n: "a" },
);
makes("an empty new file", {}, "diff --git a/n b/n\nnew file mode 100644\nindex 0000000..e69de29\n", { n: "" });
makes(
  "a new file by its time",
  {},
  "--- n\t1970-01-01 00:00:00.000000000 +0000\n+++ n\t2024-01-01 00:00:00\n@@ -0,0 +1 @@\n+a\n",
  { n: "a\n" },
);
makes("a deleted file", { ...f, g: "" }, `--- a/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n`, { g: "" });
makes("an empty deleted file", { f: "" }, "diff --git a/f b/f\ndeleted file mode 100644\nindex e69de29..0000000\n", {});
makes("a rename", f, "diff --git a/f b/d/g\nsimilarity index 100%\nrename from f\nrename to d/g\n", { "d/g": f.f });
makes(
  "a rename with a change",
  f,
  `diff --git a/f b/g\nsimilarity index 66%\nrename from f\nrename to g\n${diff.replace("b/f", "b/g")}`,
  { g: changed.f },
);
makes(
  "a copy with a change",
  f,
  `diff --git a/f b/g\nsimilarity index 66%\ncopy from f\ncopy to g\n${diff.replace("b/f", "b/g")}`,
  { ...f, g: changed.f },
);
makes(
  "a name with spaces",
  { "a b c": "x\n" },
  "diff --git a/a b c b/a b c\n--- a/a b c\t\n+++ b/a b c\t\n@@ -1 +1 @@\n-x\n+y\n",
  { "a b c": "y\n" },
);
makes("a name in octal", { "ä\t": "x\n", ä: "x\n" }, '--- "a/\\303\\244"\n+++ "b/\\303\\244"\n@@ -1 +1 @@\n-x\n+y\n', {
  "ä\t": "x\n",
  ä: "y\n",
});
makes("a folder that is called a", { "a/f": "x\n" }, "--- a/f\n+++ a/f\n@@ -1 +1 @@\n-x\n+y\n", { "a/f": "y\n" });
makes(
  "lines that look like headers",
  { f: "-- old\n++ old\nx\n" },
  "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n--- old\n-++ old\n+-- new\n+++ new\n x\n",
  { f: "-- new\n++ new\nx\n" },
);
makes(
  "several files and several patches of one",
  { ...f, g: "x\n" },
  `${diff}\n--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n${diff.replace("-two", "-2").replace("+2", "+zwei")}\n`,
  { f: "one\nzwei\nthree\n", g: "y\n" },
);
makes("CRLF in the file stays", { f: f.f.replaceAll("\n", "\r\n") }, diff, { f: changed.f.replaceAll("\n", "\r\n") });
makes(
  "a last line end that the diff adds",
  { f: "a\nb" },
  "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
  { f: "a\nb\n" },
);
makes("a hunk that is applied already is skipped", changed, diff, changed);
makes(
  "text that has V4A in its lines",
  { f: "*** Begin Patch\nx\n" },
  "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n *** Begin Patch\n-x\n+*** Update File: g\n",
  { f: "*** Begin Patch\n*** Update File: g\n" },
);

for (const [name, before, text, message] of [
  [
    "two equal places and wrong numbers",
    twins,
    "--- a/f\n+++ b/f\n@@ -2,3 +2,3 @@\n {\n-  x();\n+  y();\n }\n",
    /fits at 3 places/u,
  ],
  ["no numbers and equal places", twins, "--- a/f\n+++ b/f\n@@\n {\n-  x();\n+  y();\n }\n", /fits at 3 places/u],
  ["two names", f, diff.replace("b/f", "b/g"), /names .* differ.*rename from/u],
  ["no name", f, hunk.join("\n"), /no file is named/u],
  ["names without hunks", f, "diff --git a/f b/f\n--- a/f\n+++ b/f\n", /no hunk follows/u],
  ["lines that are not there", f, diff.replace("-two", "-deux"), /not in the file/u],
  [
    "a deleted file that has more lines",
    { f: `${f.f}four\n` },
    "--- a/f\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n",
    /does not remove/u,
  ],
  ["a new file that exists", f, "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", /exists already/u],
  ["added lines for an empty file that has lines", f, "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n", /this one has lines/u],
  ["lines without context beyond the end", f, "--- a/f\n+++ b/f\n@@ -9,0 +10 @@\n+a\n", /only 3 lines/u],
  ["a binary file", f, "diff --git a/f b/f\nindex 1..2\nBinary files a/f and b/f differ\n", /binary/u],
  ["a link", f, "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc\n", /link/u],
  ["a diff of a merge", f, "diff --cc f\nindex 1,2..3\n--- a/f\n+++ b/f\n@@@ -1,1 -1,1 +1,1 @@@\n", /combined/u],
  ["a change of line ends", { f: "a\r\n" }, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\r\n+a\n", /only line ends/u],
  ["a V4A section after it", f, `${diff}\n\n*** Delete File: f`, /V4A section follows/u],
  ["a path above the folder", f, diff.replaceAll("/f", "/../../x"), /leaves the folder/u],
] as const)
  refuses(`refused: ${name}`, before, text, message);

const line = fc.constantFrom(
  "",
  "a",
  "  b",
  "}",
  "-- c",
  "++ d",
  "--- e",
  "+++ f",
  "@@ -1 +1 @@",
  "\\ g",
  " h ",
  "ä",
  "*** End Patch",
);
const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.map((each) => `${each}\n`).join(""));

test("applying the diff of two texts to the first gives the second", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (before, after, isUnended) => {
      const next = isUnended ? after.replace(/\n$/u, "") : after;
      fc.pre(before !== next && before !== "" && next !== "");
      const shown = unifiedDiff({ name: "a/f", text: before }, { name: "b/f", text: next });
      assert.deepEqual(answerTo({ f: before }, shown), { id: 1, ok: true, files: { f: next } });
    }),
    { numRuns: testSize({ quick: 200, full: 5_000 }) },
  );
});
