import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

test("code that a one-liner prints and pipes into a shell is judged as shell code", () => {
  const lines = [
    `python3 -c 'print("rm -rf /")' | sh`,
    `python3 -c "import base64; print(base64.b64decode('cm0gLXJmIC8=').decode())" | bash`,
    `python3 -c "print(''.join(map(chr, [114, 109, 32, 45, 114, 102, 32, 47])))" | sh`,
    `python3 -c 'x = "rm -rf /"; print(x)' | sh`,
    `node -e 'console.log("rm -rf " + "/")' | sh`,
    `perl -e 'print "rm -rf /\\n"' | sh`,
    `php -r 'echo "rm -rf /";' | sh`,
    `lua -e 'print("rm -rf /")' | sh`,
    `awk 'BEGIN { print "rm -rf /" }' | sh`,
    `$(python3 -c 'print("rm")') -rf /`,
  ];
  for (const line of lines) assert.equal(verdict(line), "hardline", line);
  assert.equal(verdict(`python3 -c 'print("ls -la")' | sh`), "safe");
});

test("if a one-liner prints unknown text, the code counts as unknown", () => {
  const lines = [
    `python3 -c 'print("ls", "; rm -r x")' | sh`,
    `python3 -c 'print("ls"); other("y")' | sh`,
    `python3 -c 'print("ls", end="; rm -r x")' | sh`,
    `python3 -c 'import project; print("ls")' | sh`,
    `python3 -c 'x = open("f").read(); print("ls")' | sh`,
    `python3 -c 'import sys; y = getattr(sys, "std" + "out"); z = getattr(y, "wri" + "te")("rm -r x"); print("ls")' | sh`,
    `node -e 'console.log((process["std" + "out"]["wri" + "te"]("rm -r x"), "ls"))' | sh`,
    `ruby -e 'puts ["rm", "-rf", "/"].join(" ")' | sh`,
    `ruby -e 'puts "ls".tap { $stdout << "rm -r x" }' | sh`,
    `perl -e 'print "ls" . syswrite(STDOUT, "rm -r x;")' | sh`,
    `php -r 'echo "ls" . printf("rm -r x;");' | sh`,
    `awk 'BEGIN { printf "%c%c", 108, 115 }' | sh`,
    `awk '{ print "ls" }' f | sh`,
  ];
  for (const line of lines) assert.equal(verdict(line), "dangerous", line);
});

function verdict(command: string): string {
  return judgeCommand(command, ordinaryFolder).verdict;
}
