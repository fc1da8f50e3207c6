import { makes, patchOf, testOneFilePatch, refusesHunks } from "../../../../test/support/patch-case.ts";

const abc = "a\nb\nc\n";

// Hunks
testOneFilePatch("a line is replaced", abc, ["@@", " a", "-b", "+B", " c"], "a\nB\nc\n");
testOneFilePatch("a line is replaced without context", abc, ["@@", "-b", "+B"], "a\nB\nc\n");
testOneFilePatch("a line is removed", abc, ["@@", "-b"], "a\nc\n");
testOneFilePatch("a line is added below its context", abc, ["@@", " b", "+x"], "a\nb\nx\nc\n");
testOneFilePatch("a line is added above its context", abc, ["@@", "+x", " b"], "a\nx\nb\nc\n");
testOneFilePatch("lines are added at the top", abc, ["@@", "+x", "+y", " a"], "x\ny\na\nb\nc\n");
testOneFilePatch("lines are added at the end", abc, ["@@", " c", "+x", "+y"], "a\nb\nc\nx\ny\n");
testOneFilePatch("the first line goes", abc, ["@@", "-a", " b"], "b\nc\n");
testOneFilePatch("the last line goes", abc, ["@@", " b", "-c"], "a\nb\n");
testOneFilePatch("all lines go", abc, ["@@", "-a", "-b", "-c"], "");
testOneFilePatch("all lines are replaced", abc, ["-a", "-b", "-c", "+x"], "x\n");
testOneFilePatch("one line becomes several", abc, ["@@", "-b", "+1", "+2", "+3"], "a\n1\n2\n3\nc\n");
testOneFilePatch("several lines become one", abc, ["@@", "-a", "-b", "+x", " c"], "x\nc\n");
testOneFilePatch("added lines may come before removed ones", abc, ["@@", " a", "+B", "-b", " c"], "a\nB\nc\n");
testOneFilePatch(
  "changes alternate within a hunk",
  "a\nb\nc\nd\n",
  ["@@", "-a", "+A", " b", "-c", "+C", " d"],
  "A\nb\nC\nd\n",
);
testOneFilePatch("an empty file gets lines", "", ["@@", "+x", "+y"], "x\ny\n");
testOneFilePatch("a removed and added line that are equal change nothing", abc, ["@@", "-b", "+b"], abc);
testOneFilePatch(
  "signs of replacement patterns are plain text",
  "x $& y\n",
  ["@@", "-x $& y", "+$1 \\1 $$ $`"],
  "$1 \\1 $$ $`\n",
);
testOneFilePatch(
  "lines that begin with signs are changed",
  "- one\n+ two\n@ three\n",
  ["@@", "-- one", "+- 1", " + two", "-@ three"],
  "- 1\n+ two\n",
);
testOneFilePatch(
  "lines that look like markers are changed",
  "*** End Patch\nx\n",
  ["@@", " *** End Patch", "-x", "+*** Add File: y"],
  "*** End Patch\n*** Add File: y\n",
);
testOneFilePatch(
  "a diff in a file can be patched",
  "--- a\n+++ b\n@@ -1 +1 @@\n",
  ["@@", "---- a", "+--- z", " +++ b", " @@ -1 +1 @@"],
  "--- z\n+++ b\n@@ -1 +1 @@\n",
);
testOneFilePatch(
  "several hunks",
  "a\nb\nc\nd\ne\nf\n",
  ["@@", "-a", "+A", "@@", " c", "-d", "+D", "@@", "-f", "+F"],
  "A\nb\nc\nD\ne\nF\n",
);
testOneFilePatch("hunks without @@ between them are one", abc, ["-a", "+A", " b", "-c", "+C"], "A\nb\nC\n");
testOneFilePatch("hunks next to each other", abc, ["@@", "-a", "+A", "@@", "-b", "+B", "@@", "-c", "+C"], "A\nB\nC\n");
testOneFilePatch("hunks in another order that fit once", abc, ["@@", "-c", "+C", "@@", "-a", "+A"], "A\nb\nC\n");
testOneFilePatch("hunks may share context", abc, ["@@", "-a", "+A", " b", "@@", " b", "-c", "+C"], "A\nb\nC\n");
testOneFilePatch(
  "a blank line between hunks separates them",
  abc,
  ["@@", "-a", "+A", "", "@@", "-c", "+C"],
  "A\nb\nC\n",
);
testOneFilePatch(
  "a hunk of context among others changes nothing",
  abc,
  ["@@", "-a", "+A", "@@", " b", "@@", "-c", "+C"],
  "A\nb\nC\n",
);
testOneFilePatch("context distinguishes equal lines", "x\n1\nx\n2\n", ["@@", "-x", "+y", " 2"], "x\n1\ny\n2\n");
testOneFilePatch(
  "the hunk above distinguishes equal lines",
  "x\nm\nx\n",
  ["@@", "-m", "+M", "@@", "-x", "+y"],
  "x\nM\ny\n",
);
testOneFilePatch(
  "the hunk below distinguishes equal lines",
  "x\nm\nx\n",
  ["@@", "-x", "+y", "@@", "-m", "+M"],
  "y\nM\nx\n",
);
testOneFilePatch(
  "equal hunks take equal lines one by one",
  "x\nm\nx\n",
  ["@@", "-x", "+1", "@@", "-x", "+2"],
  "1\nm\n2\n",
);

refusesHunks(
  "equal lines without anything to tell them apart",
  "x\nm\nx\n",
  ["@@", "-x", "+y"],
  /^line 3: f: the hunk fits at 2 places: lines 1, 3/,
);
refusesHunks("two equal lines next to each other", "x\nx\n", ["@@", "-x"], /fits at 2 places/);
refusesHunks("two hunks for three equal lines", "x\nx\nx\n", ["@@", "-x", "+1", "@@", "-x", "+2"], /fits at 3 places/);
refusesHunks(
  "equal blocks with equal context",
  "a\nx\nb\n\na\nx\nb\n",
  ["@@", " a", "-x", "+y", " b"],
  /fits at 2 places/,
);
refusesHunks(
  "many places are not all listed",
  "x\n".repeat(30),
  ["@@", "-x"],
  /lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 20 more/,
);
refusesHunks(
  "a line that is not there",
  abc,
  ["@@", "-x", "+y"],
  /^line 3: f: the lines of this hunk are not in the file. The file contains no similar lines/,
);
refusesHunks(
  "context that is not there",
  "one\ntwo\nthree\n",
  ["@@", " one", "-two", "+2", " four"],
  /Nearest:\n {2}1\| one\n {2}2\| two\n {2}3\| three/,
);
refusesHunks(
  "a line that is like another",
  "let total = price\n",
  ["@@", "-let totals = price", "+x"],
  /Nearest:\n {2}1\| let total = price/,
);
refusesHunks("lines with another line between", abc, ["@@", "-a", "-c"], /not in the file/);
refusesHunks("lines in another order", abc, ["@@", "-b", "-a"], /not in the file/);
refusesHunks("more lines than the file has", abc, ["@@", " a", " b", "-c", " d"], /not in the file/);
refusesHunks("lines of an empty file", "", ["@@", "-a"], /The file contains no similar lines/);
refusesHunks(
  "hunks out of order, one of which fits twice",
  "a\nb\na\nc\n",
  ["@@", "-c", "+C", "@@", "-a", "+A"],
  /^line 6: f: .*at line 1 of the file, not below the hunk before it/,
);
refusesHunks(
  "two hunks that change the same line",
  abc,
  ["@@", "-b", "+x", "@@", "-b", "+y"],
  /^line 6: .*no line in two of them/,
);
refusesHunks("context that the hunk above removes", abc, ["@@", "-b", "@@", " b", "-c"], /^line 5: /);
refusesHunks(
  "context that the hunk above adds",
  abc,
  ["@@", "-b", "+x", "@@", " x", "-c"],
  /^line 6: .*not in the file/,
);
refusesHunks("two insertions at the same place", abc, ["@@", " a", "+x", " b", "@@", " a", "+y", " b"], /^line 7: /);
testOneFilePatch("only added lines go to the end", abc, ["@@", "+x", "+y"], "a\nb\nc\nx\ny\n");
refusesHunks("only added lines and an empty line", "a\n\nb\n", ["@@", "+x", ""], /context or a separator/);
testOneFilePatch("only added lines, and no last line end", "a\nb", ["@@", "+x"], "a\nb\nx");
testOneFilePatch("only added lines before another hunk", abc, ["@@", "+x", "@@", "-b", "+B"], "a\nB\nc\nx\n");
testOneFilePatch(
  "the last line end is added",
  "a\nb",
  ["@@", " a", "-b", "\\ No newline at end of file", "+c"],
  "a\nc\n",
);
testOneFilePatch(
  "the last line end is removed",
  "a\nb\n",
  ["@@", " a", "-b", "+c", "\\ No newline at end of file"],
  "a\nc",
);
testOneFilePatch(
  "no last line end before and after",
  "a\nb",
  ["@@", "-b", "\\ No newline at end of file", "+c", "\\ No newline at end of file"],
  "a\nc",
);
testOneFilePatch(
  "a note that contradicts the file",
  "a\nb\n",
  ["@@", "-b", "\\ No newline at end of file", "+c"],
  "a\nc\n",
);
testOneFilePatch("lines end in CR", "a\rb\rc\r", ["@@", " a", "-b", "+x", "+y", " c"], "a\rx\ry\rc\r");

// Cases with hunks that were applied before.
testOneFilePatch(
  "an applied hunk is skipped",
  "one\n2\nthree\n",
  ["@@", " one", "-two", "+2", " three"],
  "one\n2\nthree\n",
);
testOneFilePatch(
  "the others apply",
  "one\n2\nthree\nfour\n",
  ["@@", " one", "-two", "+2", " three", "@@", "-four", "+4"],
  "one\n2\nthree\n4\n",
);
testOneFilePatch("an applied removal", "one\nthree\n", ["@@", " one", "-two", " three"], "one\nthree\n");
testOneFilePatch("an applied insertion", "one\ntwo\nthree\n", ["@@", " one", "+two", " three"], "one\ntwo\nthree\n");
testOneFilePatch(
  "an applied insertion below its context",
  "one\nimport everything\nthree\n",
  ["@@", " one", "+import everything"],
  "one\nimport everything\nthree\n",
);
testOneFilePatch(
  "applied lines at the end",
  "one\nexport { everything };\n",
  ["@@", "+export { everything };"],
  "one\nexport { everything };\n",
);
testOneFilePatch(
  "another indentation, applied before",
  "f:\n    a()\n",
  ["@@", " f:", "-  a()", "+    a()"],
  "f:\n    a()\n",
);
testOneFilePatch("an applied removal at the top", "two\nthree\n", ["@@", "-one", " two", " three"], "two\nthree\n");
testOneFilePatch(
  "an applied insertion that ends like its context",
  "a {\n  start();\n}\n\nlongEnoughName {\n  more();\n}\n\nz\n",
  ["@@", " }", " ", "+longEnoughName {", "+  more();", "+}", "+", " z"],
  "a {\n  start();\n}\n\nlongEnoughName {\n  more();\n}\n\nz\n",
);
refusesHunks(
  "a hunk of which a part was applied",
  "one\n2\nthree\nfour\n",
  ["@@", " one", "-two", "-three", "+2"],
  /not in the file/,
);
testOneFilePatch(
  "applied lines below one that is written again",
  "one\ncallSomething();\nthree\n",
  ["@@", "-one", "+one", "+callSomething();"],
  "one\ncallSomething();\nthree\n",
);
refusesHunks(
  "a misspelled line whose result is elsewhere",
  "a\nbb\nc\nx\na\nB\nc\n",
  ["@@", " a", "-b", "+B", " c"],
  /not in the file/,
);
refusesHunks("a removal with context on one side", "one\ntwo\n", ["@@", " one", "-three"], /not in the file/);
refusesHunks("a hunk without context that may have been applied", "a\nB\nc\n", ["@@", "-b", "+B"], /not in the file/);
refusesHunks("another case of letters", abc, ["@@", "-B", "+x"], /not in the file/);
refusesHunks("a part of a line", "abc def\n", ["@@", "-abc", "+x"], /not in the file/);
refusesHunks("a hunk of context that is not there", abc, ["@@", "-a", "@@", " x"], /^line 5: .*not in the file/);

// Cases with blank context lines.
testOneFilePatch("a blank context line with its sign", "a\n\nb\n", ["@@", " a", " ", "-b", "+B"], "a\n\nB\n");
testOneFilePatch(
  "an empty line in a hunk is a blank context line",
  "a\n\nb\n",
  ["@@", " a", "", "-b", "+B"],
  "a\n\nB\n",
);
testOneFilePatch("several empty lines in a hunk", "a\n\n\nb\n", ["@@", "-a", "", "", "-b"], "\n\n");
testOneFilePatch("an empty line first in a hunk", "x\n\nb\n", ["@@", "", "-b", "+B"], "x\n\nB\n");
testOneFilePatch("an empty line last in a hunk", "a\n\nb\n", ["@@", "-a", "+A", "", "@@", "-b", "+B"], "A\n\nB\n");
testOneFilePatch("an empty line last in a hunk that is not in the file", "a\nb\n", ["@@", "-a", "+A", ""], "A\nb\n");
testOneFilePatch("a blank line is removed", "a\n\nb\n", ["@@", " a", "-", " b"], "a\nb\n");
testOneFilePatch("a blank line is added", "a\nb\n", ["@@", " a", "+", " b"], "a\n\nb\n");
testOneFilePatch("the only blank line goes", "a\n\nb\n", ["@@", "-"], "a\nb\n");
testOneFilePatch("blank context tells equal lines apart", "x\na\n\nx\n\n", ["@@", "-x", "+y", " "], "x\na\n\ny\n\n");
refusesHunks("an empty line that the file does not have", "a\nb\n", ["@@", " a", "", "-b"], /not in the file/);
refusesHunks("an empty line too few", "a\n\n\nb\n", ["@@", " a", "", "-b"], /not in the file/);
refusesHunks(
  "an empty line at the end tells nothing apart",
  "x\na\n\nx\n\n",
  ["@@", "-x", "+y", ""],
  /fits at 2 places/,
);

// Cases about the end of the file.
testOneFilePatch("the last lines are meant", "x\na\nx\n", ["@@", "-x", "+y", "*** End of File"], "x\na\ny\n");
testOneFilePatch(
  "the end of a file without last line end",
  "x\na\nx",
  ["@@", "-x", "+y", "*** End of File"],
  "x\na\ny",
);
testOneFilePatch("lines are added at the very end", abc, ["@@", "+x", "*** End of File"], "a\nb\nc\nx\n");
testOneFilePatch(
  "lines are added below the last line",
  "x\na\nx\n",
  ["@@", " x", "+y", "*** End of File"],
  "x\na\nx\ny\n",
);
testOneFilePatch("lines are added at the end of an empty file", "", ["@@", "+x", "*** End of File"], "x\n");
testOneFilePatch("a blank line before the end", "x\n\nx\n\n", ["@@", "-x", "+y", "", "*** End of File"], "x\n\ny\n\n");
testOneFilePatch(
  "a blank line before the marker alone",
  "x\na\nx\n",
  ["@@", "-x", "+y", "", "*** End of File"],
  "x\na\ny\n",
);
testOneFilePatch("blanks after the marker", "x\na\nx\n", ["@@", "-x", "+y", "*** End of File  "], "x\na\ny\n");
testOneFilePatch(
  "an end after a hunk further up",
  "x\na\nx\n",
  ["@@", "-a", "+A", "@@", "-x", "+y", "*** End of File"],
  "x\nA\ny\n",
);
makes(
  "an end before the next file",
  { f: "x\nx\n", g: "g\n" },
  patchOf("*** Update File: f", "-x", "+y", "*** End of File", "", "*** Delete File: g"),
  { f: "x\ny\n" },
);
refusesHunks(
  "lines that are not at the end",
  abc,
  ["@@", "-b", "*** End of File"],
  /^line 3: f: .*not the last ones of the file.*Nearest:\n {2}2\| b/s,
);
testOneFilePatch("a hunk after the last one", abc, ["@@", "-c", "*** End of File", "@@", "-b"], "a\n");
