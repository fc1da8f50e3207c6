import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

function rulesOf(command: string): readonly string[] {
  return judgeCommand(command, ordinaryFolder).findings.map(({ rule }) => rule);
}

test("an edit in place that leaves no content counts as emptying many files", () => {
  for (const command of [
    "sed -i d *",
    "sed -i.bak '1,$d' src/*.ts",
    "sed -i -e 's/a/b/' -e D a b",
    "sed -ni '/x/{s/a/b/}' *.md",
    "sed -i '/./d' *",
    "sed -i 's|^.*$||g' *.txt",
    "sed -i '1!d' a b",
    "sed --in-place Q *",
    "find . -type f -exec sed -i d {} +",
    "git ls-files | xargs sed -i d",
    'for f in *; do sed -i d "$f"; done',
    "perl -i -ne '' *",
    "perl -pi -e '$_ = \"\"' *.c",
    "perl -i -pe 's/.*//s' *",
    "ruby -i -ne '' *.rb",
    "gawk -i inplace '{}' *.csv",
    "awk -i inplace 'BEGIN { x = 1 } { if (x) { y = 2 } }' a b",
    'for f in *; do cat /dev/null > "$f"; done',
    'for f in *; do sort -o "$f" /dev/null; done',
    "tee a b c < /dev/null",
  ])
    assert.ok(rulesOf(command).includes("truncate"), command);
});

test("an ordinary edit in place, or emptying one file, needs no approval", () => {
  for (const command of [
    "sed -i 's/a/b/' *.ts",
    "sed -i '/^$/d' *.txt",
    "sed -i '1d' *.csv",
    "sed -ni '/x/p' *.txt",
    "sed -n -i 's/a/b/p' *.txt",
    "sed d *",
    "sed -i '2,$d' notes.txt",
    "perl -i -ne 'print unless /x/' *.ts",
    "perl -pi -e 's/foo.*//' *.ts",
    "gawk -i inplace 'NR > 1' *.csv",
    "gawk -i inplace '{ sub(/a/, \"b\") } 1' *.csv",
    "gawk -i inplace '{ print $1 }' *.csv",
    "tee a b < input.txt",
    "sort -o a a",
  ])
    assert.deepEqual(rulesOf(command), [], command);
});
