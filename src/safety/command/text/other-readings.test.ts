import assert from "node:assert/strict";
import { test } from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";

test("an unset variable inside a word does not hide a command", () => {
  assert.equal(verdict("r${nobody}m -rf /"), "hardline");
  assert.equal(verdict("cat /etc$nobody/shadow"), "dangerous");
  assert.equal(verdict("git re${nobody}set --hard"), "dangerous");
  assert.equal(verdict("echo bWtmcy4ke25vYm9keX1leHQ0IC9kZXYvc2Rh | base64 -d | bash"), "hardline");
});

test("a variable that is probably set causes no question", () => {
  for (const line of [
    'cp build/app${EXT} "$OUT/app"',
    'mkdir -p "$PREFIX/usr/lib" && cp lib${NAME}.so "$PREFIX/usr/lib/"',
    "cat log${DATE}.txt",
    "cp a ${CONFIG}backup.yaml",
    "cd ${WORKSPACE}backend && npm test",
  ])
    assert.equal(verdict(line), "safe", line);
  assert.equal(verdict('rm -rf "$DIR"/*; echo a${X}b'), "dangerous");
});

test("a fork bomb in zsh syntax is recognised", () => {
  assert.equal(verdict(":(){:|:&};:"), "hardline");
});

function verdict(command: string): string {
  return judgeCommand(command, ordinaryFolder).verdict;
}
