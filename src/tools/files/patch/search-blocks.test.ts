import { makes, refuses } from "../../../../test/support/patch-case.ts";

const lines = { "src/a.py": "one\ntwo\nthree\n", "b.txt": "x\ny\nx\ny\n" };

function block(search: string, replacement: string): string {
  return `<<<<<<< SEARCH\n${search}\n=======\n${replacement}\n>>>>>>> REPLACE`;
}

const changed = { ...lines, "src/a.py": "one\nTWO\nthree\n" };
const change = block("two", "TWO");

for (const [name, patch] of Object.entries({
  "above the block": `src/a.py\n${change}`,
  "above the fence": `Here it is:\n\nsrc/a.py\n\`\`\`python\n${change}\n\`\`\`\nDone.`,
  "inside the fence": `\`\`\`python\nsrc/a.py\n${change}\n\`\`\``,
  "in the line of the fence": `\`\`\`python:src/a.py\n${change}\n\`\`\``,
  "in a heading": `### src/a.py\n\n${change}`,
  "in a sentence": `Change \`src/a.py\` like this:\n${change}`,
  "in the section of a patch": `*** Begin Patch\n*** Update File: src/a.py\n${change}\n*** End Patch`,
  "after a label": `**File:** src/a.py\n${change}`,
}))
  makes(`the file of a SEARCH/REPLACE block is named ${name}`, lines, patch, changed);

makes(
  "a block without a name is for the file of the block above, after its change",
  lines,
  `src/a.py\n${change}\n\n${block("TWO\nthree", "2\n3")}`,
  { ...lines, "src/a.py": "one\n2\n3\n" },
);
makes(
  "markers of another length or with other signs",
  lines,
  "src/a.py\n------- SEARCH\none\n=======\n1\n+++++++ REPLACE\n<<<<< SEARCH\ntwo\n=====\nTWO\n>>>>> REPLACE",
  { ...lines, "src/a.py": "1\nTWO\nthree\n" },
);
makes("a stated line chooses between equal lines", lines, `b.txt\n${block(":start_line:3\n-------\nx", "z")}`, {
  ...lines,
  "b.txt": "x\ny\nz\ny\n",
});
makes(
  "a block that searches for nothing creates a file",
  lines,
  "new.txt\n<<<<<<< SEARCH\n=======\nnew\n>>>>>>> REPLACE",
  {
    ...lines,
    "new.txt": "new\n",
  },
);
makes(
  "a block that searches for nothing adds lines above the stated line",
  { f: "a\nb\n" },
  "f\n<<<<<<< SEARCH\n:start_line:2\n-------\n=======\nnew\n>>>>>>> REPLACE",
  { f: "a\nnew\nb\n" },
);
makes("whole lines are preferred", { f: "a b\nb\n" }, `f\n${block("b", "c")}`, { f: "a b\nc\n" });
makes("a block bridges what an edit does", { f: "  say(“a”)\r\n" }, `f\n${block('say("a")', 'say("b")')}`, {
  f: "  say(“b”)\r\n",
});
makes("an underlined heading", { f: "a\n=====\n" }, `f\n${block("a\n=====", "b\n=====")}`, { f: "b\n=====\n" });
makes("a marker that is text", { f: "a\n=======\nb\n" }, `f\n${block("a\n\\=======\nb", "c")}`, { f: "c\n" });

makes("blank lines around both parts", { f: "a\nb\nc\n" }, `f\n${block("\nb\n", "\nB\n")}`, { f: "a\nB\nc\n" });
makes("a blank line above the part to search for", { f: "a\n  b\n" }, `f\n${block("\n  b", "  B")}`, { f: "a\n  B\n" });
makes("the last line of a file without a last line end", { f: "a\nb" }, `f\n${block("b", "B")}`, { f: "a\nB" });
makes("a deleted last line", { f: "a\nb" }, "f\n<<<<<<< SEARCH\nb\n=======\n>>>>>>> REPLACE", { f: "a\n" });
makes("an empty file", { f: "" }, "f\n<<<<<<< SEARCH\n=======\na\n>>>>>>> REPLACE", { f: "a\n" });
refuses("a part of a line", { f: "x = b\n" }, `f\n${block("b", "c")}`, /part of a line/);
refuses("a block that fits twice", lines, `b.txt\n${block("x", "z")}`, /several places: lines 1, 3/);
refuses("a block without any name", lines, change, /no file is named/);
refuses("a block for a missing file", lines, `src/b.py\n${change}`, /no such file/);
refuses("a block that is not in the file", lines, `src/a.py\n${block("four", "4")}`, /SEARCH part is not in the file/);
refuses("an empty search in a file with other lines", lines, `b.txt\n${block("", "z")}`, /exists already/);
refuses("two dividers", lines, `src/a.py\n${block("two\n=======", "TWO")}`, /several lines/);
refuses("a block without an end", lines, `src/a.py\n<<<<<<< SEARCH\ntwo\n=======\n${change}`, /no end/);
refuses("a block without a divider", lines, "src/a.py\n<<<<<<< SEARCH\ntwo\n>>>>>>> REPLACE", /no line "======="/);

makes(
  "the stated line of a block may be in brackets",
  lines,
  `b.txt\n${block(":start_line: [3]\n:end_line: [3]\n-------\nx", "z")}`,
  { ...lines, "b.txt": "x\ny\nz\ny\n" },
);
makes("dots between two blocks do not name a file", lines, `src/a.py\n${change}\n\n...\n\n${block("three", "3")}`, {
  ...lines,
  "src/a.py": "one\nTWO\n3\n",
});
refuses("a stated line among the new lines", lines, `src/a.py\n${block("two", ":start_line:2\nTWO")}`, /backslash/u);
refuses("a divider above the block", lines, `src/a.py\n=======\n${change}`, /above the block/u);
refuses(
  "new lines that stand for omitted code",
  lines,
  `src/a.py\n${block("two\nthree", "TWO\n# ... rest of the file")}`,
  /left out/u,
);
