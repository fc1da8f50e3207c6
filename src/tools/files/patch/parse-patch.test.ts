import assert from "node:assert/strict";
import { test } from "node:test";

import { answerTo, makes, patchOf, refuses } from "../../../../test/support/patch-case.ts";
import { parsePatch } from "./parse-patch.ts";
import { pathsOf } from "./patch.ts";

const f = { f: "one\ntwo\nthree\n" };
const change = ["*** Update File: f", "@@", " one", "-two", "+2", " three"];
const changed = { f: "one\n2\nthree\n" };

for (const [name, text] of Object.entries({
  "the plain envelope": patchOf(...change),
  "blank lines around it": `\n\n${patchOf(...change)}\n \n`,
  "CRLF line ends": patchOf(...change).replaceAll("\n", "\r\n"),
  "a byte order mark": `\uFEFF${patchOf(...change)}`,
  "blanks after every marker": patchOf("*** Update File: f  ", "@@ \t", ...change.slice(2)).replaceAll(
    "Patch",
    "Patch  ",
  ),
  "blanks before the envelope and the first header": `  *** Begin Patch\n  ${change.join("\n")}\n  *** End Patch`,
  "no blank before the path": patchOf("*** Update File:f", ...change.slice(1)),
  "a code fence": `\`\`\`\n${patchOf(...change)}\n\`\`\``,
  "a code fence with a language": `\`\`\`diff\n${patchOf(...change)}\n\`\`\`\n`,
  "a heredoc": `<<'EOF'\n${patchOf(...change)}\nEOF\n`,
  "a heredoc in double quotes": `<<"EOF"\n${patchOf(...change)}\nEOF`,
  "a bare heredoc": `<<PATCH\n${patchOf(...change)}\nPATCH`,
  "a heredoc for apply_patch": `apply_patch <<'EOF'\n${patchOf(...change)}\nEOF`,
  "a heredoc in a code fence": `\`\`\`sh\napply_patch <<'EOF'\n${patchOf(...change)}\nEOF\n\`\`\``,
  "no @@ before the first hunk": patchOf(...change.filter((line) => line !== "@@")),
  "blank lines between header and hunk": patchOf("*** Update File: f", "", ...change.slice(1)),
  "a blank line before the end": patchOf(...change, ""),
  "several blank lines before the end": patchOf(...change, "", "", ""),
  "@@ twice": patchOf("*** Update File: f", "@@", ...change.slice(1)),
})) {
  makes(`a patch with ${name} is read`, f, text, changed);
}

for (const [name, text, message] of [
  ["an empty text", "", /^line 1: the patch is empty/],
  ["blanks alone", " \n\n", /^line 1: the patch is empty/],
  ["no first line", [...change, "*** End Patch"].join("\n"), /^line 1: the first line must be "\*\*\* Begin Patch"/],
  ["words before it", `Here it is:\n${patchOf(...change)}`, /^line 1: the first line/],
  ["words after it", `${patchOf(...change)}\nDone.`, /^line 9: nothing may follow/],
  ["a second patch after it", `${patchOf(...change)}\n${patchOf(...change)}`, /^line 9: nothing may follow/],
  ["no last line", ["*** Begin Patch", ...change].join("\n"), /^line 7: the last line must be "\*\*\* End Patch"/],
  ["an end in the middle of a line", `${patchOf(...change)} now`, /^line 8: the last line/],
  ["another spelling of the first line", patchOf(...change).replace("Begin", "begin"), /^line 1: /],
  ["a first line alone", "*** Begin Patch", /^line 1: the last line/],
  ["nothing in it", patchOf(), /^line 2: the patch is empty/],
  ["blank lines alone in it", patchOf("", ""), /^line 2: the patch is empty/],
  ["a fence that is not closed", `\`\`\`\n${patchOf(...change)}`, /^line 1: the first line/],
  ["a heredoc that is not closed", `<<'EOF'\n${patchOf(...change)}`, /^line 1: the first line/],
  ["a unified diff", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n", /^line 1: .*unified diff.*V4A/],
  ["a git diff", "diff --git a/f b/f\n--- a/f\n+++ b/f\n", /^line 1: .*unified diff/],
  [
    "line numbers after @@",
    patchOf("*** Update File: f", "@@ -1,3 +1,3 @@", ...change.slice(2)),
    /^line 3: line numbers are not used/,
  ],
  ["no section before the first hunk", patchOf(...change.slice(1)), /^line 2: "@@" is not a section/],
  ["an unknown section", patchOf("*** Change File: f", ...change.slice(1)), /^line 2: .* is not a section/],
  ["an unknown section below a good one", patchOf(...change, "*** Rename File: f"), /^line 8: .* is not a section/],
  ["a section without blanks", patchOf("***Update File: f", ...change.slice(1)), /^line 2: .* is not a section/],
  ["a second first line", patchOf("*** Begin Patch", ...change), /^line 2: .* is not a section/],
  ["no path to update", patchOf("*** Update File: ", ...change.slice(1)), /^line 2: the path is missing/],
  ["no path to add", patchOf("*** Add File:", "+x"), /^line 2: the path is missing/],
  ["no path to delete", patchOf("*** Delete File:   "), /^line 2: the path is missing/],
  [
    "no path to move to",
    patchOf("*** Update File: f", "*** Move to:", ...change.slice(1)),
    /^line 3: the path is missing/,
  ],
  ["a NUL in a path", patchOf("*** Add File: a\0b", "+x"), /^line 2: .*control characters/],
  ["a very long path", patchOf(`*** Add File: ${"a/".repeat(3000)}b`, "+x"), /^line 2: the path has more than 4096/],
  ["a folder as path", patchOf("*** Add File: dir/", "+x"), /^line 2: .* is a folder/],
  ["the folder itself as path", patchOf("*** Delete File: ."), /^line 2: .* is a folder/],
  ["an update without hunks", patchOf("*** Update File: f"), /^line 2: no hunk follows/],
  ["an update without hunks before another", patchOf("*** Update File: f", ...change), /^line 2: no hunk follows/],
  ["nothing after @@", patchOf("*** Update File: f", "@@"), /^line 3: no line follows "@@"/],
  ["nothing after the last @@", patchOf(...change, "@@ three"), /^line 8: no line follows "@@ three"/],
  ["only an empty line after @@", patchOf("*** Update File: f", "@@", ""), /^line 3: no line follows/],
  [
    "a line without sign in a hunk",
    patchOf(...change.slice(0, 4), "2", " three"),
    /^line 6: "2": a line of a hunk begins with/,
  ],
  ["a tab in place of the sign", patchOf(...change.slice(0, 4), "\t2"), /^line 6: /],
  ["@@ without a blank", patchOf("*** Update File: f", "@@one", "-two", "+2"), /^line 3: .*a blank belongs/],
  [
    "the last-line note of unified diffs",
    patchOf(...change, "\\ No newline at end of file"),
    /^line 8: .*unified diffs/,
  ],
  ["context alone", patchOf("*** Update File: f", "@@", " one", " two"), /^line 2: the patch changes nothing/],
  ["a move below the hunk", patchOf(...change, "*** Move to: g"), /^line 8: .* is not a section/],
  ["two moves", patchOf("*** Update File: f", "*** Move to: g", "*** Move to: h", ...change.slice(1)), /^line 4: /],
  ["an end of file without lines", patchOf("*** Update File: f", "*** End of File"), /^line 3: no line follows/],
  ["lines below the end of file", patchOf(...change, "*** End of File", "+4"), /^line 9: after "\*\*\* End of File"/],
  ["an end of file in a new file", patchOf("*** Add File: g", "+x", "*** End of File"), /^line 4: .* is not a section/],
  [
    "a line without plus in a new file",
    patchOf("*** Add File: g", "+x", "y"),
    /^line 4: "y": every line of a new file/,
  ],
  ["a context line in a new file", patchOf("*** Add File: g", "+x", " y"), /^line 4: /],
  ["an empty line in a new file", patchOf("*** Add File: g", "+x", "", "+y"), /^line 4: "": every line of a new file/],
  ["@@ in a new file", patchOf("*** Add File: g", "@@", "+x"), /^line 3: /],
  ["lines below a deletion", patchOf("*** Delete File: f", "-one"), /^line 3: "-one" is not a section/],
  ["a move file without arrow", patchOf("*** Move File: f g"), /^line 2: a move is written/],
  ["a move file without target", patchOf("*** Move File: f -> "), /^line 2: a move is written/],
  ["a move file with two arrows", patchOf("*** Move File: f -> g -> h"), /^line 2: a move is written/],
  ["hunks below a move file", patchOf("*** Move File: f -> g", "@@", "-two", "+2"), /^line 3: "@@" is not a section/],
] as const) {
  refuses(`a patch with ${name} is refused`, f, text, message);
}

test("a patch that was cut off at any line is refused", () => {
  const whole = patchOf(...change, "*** Add File: g", "+x", "*** Delete File: f").split("\n");
  for (let lines = 0; lines < whole.length; lines++) {
    assert.equal(answerTo(f, whole.slice(0, lines).join("\n")).ok, false);
  }
});

test("the paths of a patch are listed once each, targets of moves too", () => {
  const patch = parsePatch(
    patchOf(
      ...change,
      "*** Update File: f",
      "*** Move to: a b.txt",
      "@@",
      "-x",
      "+y",
      "*** Add File: n",
      "*** Move File: p -> q",
    ),
  );
  assert.ok(patch.ok);
  assert.deepEqual(pathsOf(patch.value), ["f", "a b.txt", "n", "p", "q"]);
});
