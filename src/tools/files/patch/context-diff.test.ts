import { test } from "node:test";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { answerTo, makes, refuses } from "../../../../test/support/patch-case.ts";

const stars = "***************";
const names = ["*** a/f.txt\t2026-01-01 10:00:00", "--- b/f.txt\t2026-01-01 10:00:01", stars];
const before = { "f.txt": "one\n\ntwo\nthree\nfour\n" };

makes(
  "a context diff with prose around it: changed, added and removed lines",
  before,
  [
    "Here it is:",
    ...names,
    "*** 1,5 ****",
    "  one",
    "  ",
    "! two",
    "  three",
    "- four",
    "--- 1,5 ----",
    "  one",
    "",
    "! 2",
    "! 2b",
    "  three",
    "",
    "That is all.",
  ].join("\n"),
  { "f.txt": "one\n\n2\n2b\nthree\n" },
);
makes(
  "a context diff leaves out the side that has only context",
  before,
  [
    ...names,
    "*** 1 ****",
    "--- 1,2 ----",
    "  one",
    "+ new",
    `${stars} function`,
    "*** 3,5 ****",
    "  two",
    "- three",
    "  four",
    "--- 4,5 ----",
  ].join("\n"),
  { "f.txt": "one\nnew\n\ntwo\nfour\n" },
);
makes(
  "a context diff of several files that creates one and removes one, without a last line end",
  { "old.txt": "x\n", "f.txt": "a" },
  [
    "*** /dev/null",
    "--- b/new.txt",
    stars,
    "*** 0 ****",
    "--- 1,2 ----",
    "+ n",
    "+ m",
    "*** a/old.txt",
    "--- /dev/null",
    stars,
    "*** 1 ****",
    "- x",
    "--- 0 ----",
    ...names,
    "*** 1 ****",
    "! a",
    "\\ No newline at end of file",
    "--- 1 ----",
    "! b",
    "",
  ].join("\n"),
  { "new.txt": "n\nm\n", "f.txt": "b\n" },
);
refuses(
  "a context diff whose halves have different context",
  before,
  [...names, "*** 3,4 ****", "! two", "  three", "--- 3,4 ----", "! 2", "  four"].join("\n"),
  /line 9: .*same context/u,
);
refuses("a context diff without its second half", before, [...names, "*** 3 ****", "! two"].join("\n"), /FIRST,LAST/u);

test("a long context diff is read in linear time", async () => {
  await assertGrowsLinearly(4_000, (size) => {
    for (const part of [
      `${names.join("\n")}\n`,
      `${stars}\n*** 1 ****\n--- 1 ----\n`,
      "! x\n",
      "--- 1 ----\n",
      "*** a\n",
    ])
      answerTo(before, `${names.join("\n")}\n*** 1,9 ****\n${part.repeat(size)}`);
  });
});
