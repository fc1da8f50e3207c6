import assert from "node:assert/strict";
import { test } from "node:test";

import type { StartState } from "../../command/shell/shell-state.ts";
import { AnalysedCommand } from "./analysed-command.ts";

const variables = { PATH: "/usr/bin:/bin" };
const start: StartState = { cwd: "/w", home: "/home/me", user: "me", functions: {}, aliases: {}, variables };

function leavesNoTrace(command: string, changes: Partial<StartState> = {}): boolean {
  return new AnalysedCommand(command, { ...start, ...changes }).leavesNoTrace;
}

test("simple command lines with read-only programs count as changing nothing", () => {
  for (const command of [
    "echo 1",
    "sleep 0.2; echo 3",
    "cat a.txt | grep -c x",
    "git status && git log -3",
    "ls -la src 2>/dev/null",
    "grep -rn 'needle' . | head -5 # look",
    "find . -name '*.ts'",
  ])
    assert.equal(leavesNoTrace(command), true, command);
});

test("commands that write, change the shell or are unclear count as changing something", () => {
  for (const command of [
    "",
    "echo 1 > out.txt",
    "echo 1 >> out.txt",
    "cd /tmp",
    "cd /tmp && ls",
    "export A=1",
    "A=1",
    "A=1 ls",
    "printf -v PATH x",
    "alias ls=rm",
    "echo() { rm -rf x; }; echo 1",
    "echo ${PATH:=/evil}",
    "echo $((SHLVL=5))",
    "for PATH in a; do echo 1; done",
    "sleep 1 &",
    "read x < file",
    "touch a",
    "find . -delete",
    "sort -o a a",
    "cat a | tee b",
    "python3 -c 'print(1)'",
    "$x",
    "git commit -m x",
    "npm test",
    "unset PATH",
    "set -e; ls",
    ". ./setup.sh",
    "ls; trap 'rm x' EXIT",
  ])
    assert.equal(leavesNoTrace(command), false, command);
});

test("a shell function or alias counts as changing something", () => {
  const changed = { functions: { ls: "touch x" }, aliases: { cat: "tee y" } };
  assert.equal(leavesNoTrace("ls", changed), false);
  assert.equal(leavesNoTrace("cat a", changed), false);
  assert.equal(leavesNoTrace("echo 1", changed), true);
});
