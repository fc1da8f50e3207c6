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
  "no first line": [...change, "*** End Patch"].join("\n"),
  "no last line": ["*** Begin Patch", ...change].join("\n"),
  "neither first nor last line": change.join("\n"),
  "no last line and a closing fence": `\`\`\`\n${["*** Begin Patch", ...change].join("\n")}\n\`\`\`\n`,
  "no last line and words after it": `${change.join("\n")}\n\nThis renames it.\n`,
  "no last line in a heredoc": `apply_patch <<'EOF'\n${change.join("\n")}\nEOF\n`,
  "words before it": `Here it is:\n\n- one change\n${patchOf(...change)}`,
  "words after it": `${patchOf(...change)}\n\nDone. - and + are signs.`,
  "a prompt before it": `user@host:~$ apply_patch <<'EOF'\n${patchOf(...change)}\nEOF\nuser@host:~$ `,
  "words around a code fence": `First:\n\`\`\`diff\n${patchOf(...change)}\n\`\`\`\nThen test it.`,
  "another spelling of the marks": patchOf(...change)
    .replace("Begin", "begin")
    .replace("End P", "END P"),
  "a quote mark before every line": patchOf(...change).replaceAll(/^/gmu, "> "),
  "blanks before every line": patchOf(...change).replaceAll(/^/gmu, "    "),
  "a fence that is not closed": `\`\`\`\n${patchOf(...change)}`,
  "CR line ends": patchOf(...change).replaceAll("\n", "\r"),
  "line numbers after @@": patchOf("*** Update File: f", "@@ -1,3 +1,3 @@ def f", ...change.slice(2)),
  "file names and line numbers": patchOf(
    "*** Update File: f",
    "--- a/f",
    "+++ b/f",
    "@@ -1,3 +1,3 @@",
    ...change.slice(2),
  ),
  "a section without blanks": patchOf("***Update File:f", ...change.slice(1)),
  "@@ without a blank": patchOf("*** Update File: f", "@@one", ...change.slice(3)),
  "the note on a missing line end": patchOf(...change, "\\ No newline at end of file"),
  "context without its sign": patchOf("*** Update File: f", "@@", "one", "-two", "+2", "three"),
  "@@ twice": patchOf("*** Update File: f", "@@", ...change.slice(1)),
})) {
  makes(`a patch with ${name} is read`, f, text, changed);
}

const below = { f: "one\n2\nthree\n", g: "x\n\ny\n" };
makes("two patches in a row", f, `${patchOf(...change)}\n\n${patchOf("*** Add File: g", "+x", "+", "+y")}`, below);
makes(
  "an empty line in a new file",
  f,
  patchOf(...change, "*** Add File: g", "+x", "", "+y", "", "*** Delete File: f"),
  { g: below.g },
);
makes("a new file without signs", f, patchOf("*** Add File: g", "x", "", "y"), { ...f, g: below.g });
makes("a new file without a last line end", f, patchOf("*** Add File: g", "+x", "\\ No newline at end of file"), {
  ...f,
  g: "x",
});
makes("a move below the hunk", f, patchOf(...change, "*** Move to: g"), { g: changed.f });
makes("hunks below a move", f, patchOf("*** Move File: f -> g", ...change.slice(1)), { g: changed.f });
makes("the lines of a deleted file", f, patchOf("*** Delete File: f", "-one", "-two", "-three"), {});

for (const [name, text, message] of [
  ["an empty text", "", /^line 1: the patch is empty/],
  ["blanks alone", " \n\n", /^line 1: the patch is empty/],
  ["a first line alone", "*** Begin Patch", /^line 2: the patch is empty/],
  ["a second patch after some words", `${patchOf(...change)}\nOr:\n${patchOf(...change)}`, /^line 10: a second patch/],
  ["a section after the end", `${patchOf(...change)}\nAlso\n${change.join("\n")}`, /^line 10: a second patch/],
  [
    "words between hunks",
    patchOf(...change, "Then:", "@@", "-three", "+3"),
    /^line 3: f: .*not in the file.*Line 8 of the patch has no/s,
  ],
  [
    "a line without sign that is not there",
    patchOf(...change.slice(0, 4), "2", " three"),
    /Line 6 of the patch has no/,
  ],
  ["an end in the middle of a line", `${patchOf(...change)} now`, /^line 8: .* is not a section/],
  ["an end of file in a new file", patchOf("*** Add File: g", "+x", "*** End of File"), /^line 4: /],
  ["nothing in it", patchOf(), /^line 2: the patch is empty/],
  ["blank lines alone in it", patchOf("", ""), /^line 2: the patch is empty/],
  ["no section before the first hunk", patchOf(...change.slice(1)), /^line 2: "@@" is not a section/],
  ["an unknown section", patchOf("*** Change File: f", ...change.slice(1)), /^line 2: .* is not a section/],
  ["an unknown section below a good one", patchOf(...change, "*** Rename File: f"), /^line 8: .* is not a section/],
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
  ["context alone", patchOf("*** Update File: f", "@@", " one", " two"), /^line 2: the patch changes nothing/],
  ["two moves", patchOf("*** Update File: f", "*** Move to: g", "*** Move to: h", ...change.slice(1)), /^line 4: /],
  ["an end of file without lines", patchOf("*** Update File: f", "*** End of File"), /^line 3: no line follows/],
  ["lines below the end of file", patchOf(...change, "*** End of File", "+4"), /^line 9: after "\*\*\* End of File"/],
  [
    "a line without plus in a new file",
    patchOf("*** Add File: g", "+x", "y"),
    /^line 4: "y": every line of a new file/,
  ],
  ["a context line in a new file", patchOf("*** Add File: g", "+x", " y"), /^line 4: /],
  ["@@ in a new file", patchOf("*** Add File: g", "@@", "+x"), /^line 3: /],
  ["a move file without arrow", patchOf("*** Move File: f g"), /^line 2: a move is written/],
  ["a move file without target", patchOf("*** Move File: f -> "), /^line 2: a move is written/],
  ["a move file with two arrows", patchOf("*** Move File: f -> g -> h"), /^line 2: a move is written/],
] as const) {
  refuses(`a patch with ${name} is refused`, f, text, message);
}

test("a truncated patch is rejected, or applied up to its end", () => {
  const whole = patchOf(...change, "*** Add File: g", "+x").split("\n");
  const possible = [f, { f: "one\nthree\n" }, changed, { ...changed, g: "" }, { ...changed, g: "x\n" }];
  for (let lines = 0; lines < whole.length; lines++) {
    const answer = answerTo(f, whole.slice(0, lines).join("\n"));
    assert.ok(possible.some((files) => JSON.stringify(files) === JSON.stringify(answer.files)));
  }
});

test("each path of a patch is listed once, including targets of moves", () => {
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
