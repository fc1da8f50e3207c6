import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

function rulesOf(command: string): readonly string[] {
  return judgeCommand(command, ordinaryFolder).findings.map(({ rule }) => rule);
}

test("a redirection without output that empties a file needs the approval of truncate", () => {
  for (const command of [
    "> README.md",
    ": > README.md",
    ":>|README.md",
    "true > src/main.ts",
    "cat /dev/null > notes.txt",
    "printf '' > notes.txt",
    "echo -n > notes.txt",
    "bash -c '> README.md'",
    "> README.md; git commit -am x",
    "> README.md; > README.md",
    "npm test && : > Cargo.lock",
  ])
    assert.deepEqual(rulesOf(command), ["truncate"], command);
});

test("output into a file, and files that are meant to be emptied, need no approval", () => {
  for (const command of [
    "npm test > out.txt 2>&1",
    "echo hi > README.md",
    "{ echo a; echo b; } > out.txt",
    "for f in a b; do echo $f; done > list.txt",
    "(date; uptime) > status.txt",
    ": > out.txt; for f in a b; do wc -l $f >> out.txt; done",
    "> list.txt; ls | tee -a list.txt",
    "printf 'a' > x.txt; : > x.txt",
    ": > logs/dev.log",
    "> /tmp/out.txt",
    "true > /dev/null",
    "> server.pid",
    "make 2> errors.txt",
    "exec 3> notes.txt",
  ])
    assert.deepEqual(rulesOf(command), [], command);
});
