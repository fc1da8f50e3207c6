import { makes, patchOf, testOneFilePatch } from "../../../../test/support/patch-case.ts";

const abc = "a\nb\nc\n";

testOneFilePatch(
  "CRLF stays, new lines have it",
  "a\r\nb\r\nc\r\n",
  ["@@", " a", "-b", "+x", "+y"],
  "a\r\nx\r\ny\r\nc\r\n",
);
testOneFilePatch("CRLF without a last line end", "a\r\nb", ["@@", "-b", "+x", "+y"], "a\r\nx\r\ny");
makes(
  "a CRLF patch for a LF file",
  { f: abc },
  patchOf("*** Update File: f", "@@", "-b", "+x").replaceAll("\n", "\r\n"),
  { f: "a\nx\nc\n" },
);
makes(
  "a CRLF patch for a CRLF file",
  { f: "a\r\nb\r\n" },
  patchOf("*** Update File: f", "-b", "+x").replaceAll("\n", "\r\n"),
  { f: "a\r\nx\r\n" },
);
testOneFilePatch("CRLF in the hunk lines alone", "a\r\nb\r\n", ["@@", "-b\r", "+x\r"], "a\r\nx\r\n");
testOneFilePatch(
  "mixed line ends stay as they are",
  "a\r\nb\nc\r\nd\n",
  ["@@", " a", "-b", "+x", " c"],
  "a\r\nx\nc\r\nd\n",
);
testOneFilePatch(
  "a new line in a mixed file ends as the one it replaces",
  "a\nb\r\nc\n",
  ["@@", "-b", "+x"],
  "a\nx\r\nc\n",
);
testOneFilePatch("a blank CRLF line is blank context", "a\r\n\r\nb\r\n", ["@@", " a", "", "-b"], "a\r\n\r\n");
testOneFilePatch("a lone CR is part of its line", "a\rb\nc\n", ["@@", "-a\rb", "+x"], "x\nc\n");
testOneFilePatch("no last line end stays none", "a\nb", ["@@", " a", "-b", "+B"], "a\nB");
testOneFilePatch("no last line end, changed further up", "a\nb", ["@@", "-a", "+A"], "A\nb");
testOneFilePatch("no last line end, with a line added below", "a\nb", ["@@", " b", "+c"], "a\nb\nc");
testOneFilePatch("no last line end, last line removed", "a\nb", ["@@", "-b"], "a");
testOneFilePatch("no last line end, only line replaced", "a", ["@@", "-a", "+b"], "b");
testOneFilePatch("blank lines at the end stay", "a\n\n\n", ["@@", "-a", "+b"], "b\n\n\n");
testOneFilePatch("a byte order mark stays", "\uFEFFa\nb\n", ["@@", "-a", "+A"], "\uFEFFA\nb\n");
testOneFilePatch("a byte order mark stays above new lines", "\uFEFFa\n", ["@@", "+x", " a"], "\uFEFFx\na\n");
testOneFilePatch("a byte order mark is not doubled", "\uFEFFa\n", ["@@", "-a", "+\uFEFFb"], "\uFEFFb\n");
testOneFilePatch(
  "other separators do not end a line",
  "a\u2028b\fc\vd\u0085e\nz\n",
  ["@@", "-a\u2028b\fc\vd\u0085e", "+x"],
  "x\nz\n",
);
testOneFilePatch("letters beyond the first plane", "a😀b\n日本\n", ["@@", " a😀b", "-日本", "+語"], "a😀b\n語\n");
