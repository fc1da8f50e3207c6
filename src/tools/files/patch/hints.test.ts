import { testOneFilePatch, refusesHunks } from "../../../../test/support/patch-case.ts";

const twins = `class A:
    def run(self):
        return 1

    def stop(self):
        return 1


class B:
    def run(self):
        return 1

    def stop(self):
        return 1
`;

function twinsWith(line: number, text: string): string {
  return twins
    .split("\n")
    .with(line - 1, text)
    .join("\n");
}

const one = ["-        return 1", "+        return 2"];
const two = "        return 2";

testOneFilePatch(
  "a hint is the whole line above",
  "def a():\n    x\ndef b():\n    x\n",
  ["@@ def b():", "-    x", "+    y"],
  "def a():\n    x\ndef b():\n    y\n",
);
testOneFilePatch(
  "a hint chooses the first of two",
  "def a():\n    x\ndef b():\n    x\n",
  ["@@ def a():", "-    x", "+    y"],
  "def a():\n    y\ndef b():\n    x\n",
);
testOneFilePatch(
  "a hint may be closed by @@",
  "def a():\n    x\ndef b():\n    x\n",
  ["@@ def b(): @@", "-    x"],
  "def a():\n    x\ndef b():\n",
);
testOneFilePatch(
  "a hint may be the beginning of its line",
  "def a(n):\n    x\ndef b(n):\n    x\n",
  ["@@ def a", "-    x"],
  "def a(n):\ndef b(n):\n    x\n",
);
testOneFilePatch(
  "a hint may be some words of its line",
  "async def a(n):\n    x\nasync def b(n):\n    x\n",
  ["@@ def b(n) @@", "-    x"],
  "async def a(n):\n    x\nasync def b(n):\n",
);
testOneFilePatch(
  "a hint ends where a word does",
  "def ab():\n    x\ndef a():\n    x\n",
  ["@@ def a", "-    x"],
  "def ab():\n    x\ndef a():\n",
);
testOneFilePatch(
  "a hint without its indentation",
  "class A:\n    def f():\n        x\n    def g():\n        x\n",
  ["@@ def g():", "-        x"],
  "class A:\n    def f():\n        x\n    def g():\n",
);
testOneFilePatch(
  "a hint with its indentation tells equal names apart",
  "def f():\n    x\nclass A:\n    def f():\n        x\n    x\n",
  ["@@     def f():", "-        x"],
  "def f():\n    x\nclass A:\n    def f():\n    x\n",
);
testOneFilePatch(
  "hints below each other lead inwards",
  twins,
  ["@@ class B:", "@@     def run(self):", ...one],
  twinsWith(11, two),
);
testOneFilePatch(
  "hints below each other, first class",
  twins,
  ["@@ class A:", "@@ def stop(self):", ...one],
  twinsWith(6, two),
);
testOneFilePatch(
  "hints below each other, abbreviated",
  twins,
  ["@@ class B", "@@ def stop", ...one],
  twinsWith(14, two),
);
testOneFilePatch(
  "the same hint for two hunks",
  "def f():\n    a\n    b\n    c\n",
  ["@@ def f():", "-    a", "@@ def f():", "-    c"],
  "def f():\n    b\n",
);
testOneFilePatch(
  "a hint and a hunk above it",
  "x\ndef a():\n    x\ndef b():\n    x\n",
  ["@@ def a():", "-    x", "+    1", "@@ def b():", "-    x", "+    2"],
  "x\ndef a():\n    1\ndef b():\n    2\n",
);
testOneFilePatch(
  "a hint that the hunk repeats",
  "def a():\n    x\ndef b():\n    x\n",
  ["@@ def b():", " def b():", "-    x", "+    y"],
  "def a():\n    x\ndef b():\n    y\n",
);
testOneFilePatch(
  "a hint that the hunk removes",
  "def a():\n    x\ndef b():\n    x\n",
  ["@@ def b():", "-def b():", "+def c():", "     x"],
  "def a():\n    x\ndef c():\n    x\n",
);
testOneFilePatch(
  "a hint far above a place that is the only one",
  "import os\n\ndef a():\n    pass\n\ndef b():\n    x\n",
  ["@@ import os", "-    x"],
  "import os\n\ndef a():\n    pass\n\ndef b():\n",
);
testOneFilePatch(
  "braces on their own line belong to the block",
  "int a()\n{\n  x;\n}\nint b()\n{\n  x;\n}\n",
  ["@@ int b()", "-  x;", "+  y;"],
  "int a()\n{\n  x;\n}\nint b()\n{\n  y;\n}\n",
);
testOneFilePatch(
  "blocks in braces",
  "function a() {\n  x\n}\n\nfunction b() {\n  x\n}\n\nfunction c() {\n  x\n}\n",
  ["@@ function b() {", "-  x", "+  y"],
  "function a() {\n  x\n}\n\nfunction b() {\n  y\n}\n\nfunction c() {\n  x\n}\n",
);
testOneFilePatch(
  "headings",
  "# A\ntext\nitem\n# B\ntext\nitem\n# C\ntext\nitem\n",
  ["@@ # B", "-item", "+thing"],
  "# A\ntext\nitem\n# B\ntext\nthing\n# C\ntext\nitem\n",
);
testOneFilePatch(
  "sections in brackets",
  "[a]\nx = 1\ny = 1\n[b]\nx = 1\ny = 1\n[c]\nx = 1\ny = 1\n",
  ["@@ [b]", "-y = 1", "+y = 2"],
  "[a]\nx = 1\ny = 1\n[b]\nx = 1\ny = 2\n[c]\nx = 1\ny = 1\n",
);
testOneFilePatch(
  "the line directly below a plain one",
  "alpha\nsame\nbeta\nsame\ngamma\nsame\n",
  ["@@ beta", "-same", "+other"],
  "alpha\nsame\nbeta\nother\ngamma\nsame\n",
);
testOneFilePatch(
  "keys of a list",
  "- name: a\n  size: 1\n- name: b\n  size: 1\n- name: c\n  size: 1\n",
  ["@@ - name: b", "-  size: 1", "+  size: 2"],
  "- name: a\n  size: 1\n- name: b\n  size: 2\n- name: c\n  size: 1\n",
);
testOneFilePatch(
  "lines are added directly below a hint",
  "import os\nimport re\n",
  ["@@ import os", "+import sys"],
  "import os\nimport sys\nimport re\n",
);
testOneFilePatch("lines are added below a hint that ends the file", "a\nb", ["@@ b", "+c"], "a\nb\nc");
testOneFilePatch(
  "lines are added below a hint, then a separator",
  "import os\n\nx\n",
  ["@@ import os", "+import re", ""],
  "import os\nimport re\n\nx\n",
);
testOneFilePatch(
  "a hint in a CRLF file",
  "a():\r\n  x\r\nb():\r\n  x\r\n",
  ["@@ b():", "-  x"],
  "a():\r\n  x\r\nb():\r\n",
);
testOneFilePatch("a hint with typographic signs", "# “a”\nx\n# “b”\nx\n", ['@@ # "b"', "-x"], "# “a”\nx\n# “b”\n");
testOneFilePatch(
  "a hint with the end of the file",
  "def a():\n    x\n    x\n",
  ["@@ def a():", "-    x", "*** End of File"],
  "def a():\n    x\n",
);
testOneFilePatch(
  "a hint leads to a place with drift",
  "def a():\n    x\ndef b():\n    x  \n",
  ["@@ def b():", "-    x", "+    y"],
  "def a():\n    x\ndef b():\n    y\n",
);

for (const header of ["@@ line 3 @@", "@@ lines 3-5", "@@ @@ line 3", "@@ -3,1 +3,1 @@"]) {
  testOneFilePatch(`${header} chooses between equal lines`, "x\na\nx\nb\n", [header, "-x", "+y"], "x\na\ny\nb\n");
}
testOneFilePatch(
  "a place in words above a line that is the only one",
  "a\nb\n",
  ["@@ top of file", "-a", "+A"],
  "A\nb\n",
);
testOneFilePatch(
  "a call as a hint for its definition",
  "def run(n):\n    x\ndef stop(n):\n    x\n",
  ["@@ run()", "-    x", "+    y"],
  "def run(n):\n    y\ndef stop(n):\n    x\n",
);
testOneFilePatch("two lines in one hint", twins, ["@@ class B: def stop(self):", ...one], twinsWith(14, two));
testOneFilePatch(
  "stars alone before and after hunks are marks",
  "a\nb\nc\n",
  ["***", "@@", "-a", "+A", "@@", "-c", "+C", "***"],
  "A\nb\nC\n",
);
testOneFilePatch("stars inside a hunk are a line", "a\n***\nb\n", ["@@", " a", " ***", "-b"], "a\n***\n");

refusesHunks(
  "a place in words that is another one",
  "x\na\nx\n",
  ["@@ line 2", "-x", "+y"],
  /fits at 2 places: lines 1, 3/,
);
refusesHunks("lines to add at a place in words", "x\na\n", ["@@ line 1", "+y"], /no line of the file is "line 1"/);
refusesHunks(
  "a hint that is not there",
  "def a():\n    x\n",
  ["@@ def b():", "-    x"],
  /^line 3: f: no line of the file is "def b\(\):"/,
);
refusesHunks("a hint that is part of a word", "define\nx\n", ["@@ def", "-x"], /no line of the file is "def"/);
refusesHunks(
  "an inner hint that is elsewhere",
  twins.replace("class B:", "class C:"),
  ["@@ class B:", "@@ def run(self):", ...one],
  /no line of the file is "class B:", then "def run\(self\):"/,
);
refusesHunks(
  "a hint for two methods of the same name",
  twins,
  ["@@ def run(self):", ...one],
  /fits at 2 places: lines 3, 11/,
);
refusesHunks("a hint for a class with two places", twins, ["@@ class B:", ...one], /fits at 2 places: lines 11, 14/);
refusesHunks(
  "two places in the body of the hint",
  "def a():\n    x\n    y\n    x\n",
  ["@@ def a():", "-    x"],
  /fits at 2 places: lines 2, 4/,
);
refusesHunks(
  "a place above the hint alone",
  "def a():\n    x\ndef b():\n    y\n",
  ["@@ def b():", "-    x"],
  /not in the file below "@@ def b\(\):"/,
);
refusesHunks(
  "a body without the lines, which are in others",
  "def a():\n    x\ndef b():\n    y\ndef c():\n    x\n",
  ["@@ def b():", "-    x"],
  /not in the file below/,
);
refusesHunks("lines to add below a hint that is there twice", "x\na\nx\n", ["@@ x", "+y"], /fits at 2 places/);
refusesHunks(
  "two places below a plain line, none next to it",
  "start\nm\nx\nn\nx\n",
  ["@@ start", "-x"],
  /fits at 2 places/,
);
refusesHunks("lines around and below a hint", "x\nm\nx\n", ["@@ x", "-x"], /fits at 2 places/);
