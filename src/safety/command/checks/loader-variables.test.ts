import assert from "node:assert/strict";
import test from "node:test";

import { ordinaryFolder } from "../check-lines.ts";
import { judgeCommand } from "../judge-command.ts";
import { variableRule } from "./loader-variables.ts";

test("variables that make programs load or run something need approval, but everyday values do not", () => {
  const lines = [
    ["LD_PRELOAD", "x.so"],
    ["PATH", "/tmp/x:/usr/bin"],
    ["PATH", ".:/usr/bin"],
    ["GIT_SSH_COMMAND", "sh -c x"],
    ["NODE_OPTIONS", "--require ./x.js"],
    ["PAGER", "/tmp/x"],
    ["BASH_ENV", "x"],
  ] as const;
  const fine = [
    ["PATH", "/home/user/bin:/usr/bin"],
    ["PATH", "./node_modules/.bin:/usr/bin"],
    ["GIT_SSH_COMMAND", "ssh -i ~/.ssh/key"],
    ["NODE_OPTIONS", "--max-old-space-size=4096"],
    ["PAGER", "less -R"],
    ["EDITOR", "code --wait"],
    ["PYTHONPATH", "src"],
    ["JAVA_TOOL_OPTIONS", "-Xmx2g"],
  ] as const;
  for (const [name, value] of lines) assert.equal(variableRule(name, value), "loader_variable", name);
  for (const [name, value] of fine) assert.equal(variableRule(name, value), undefined, `${name}=${value}`);
});

test("a variable that an earlier call set is judged when a later call uses it", () => {
  const after = (state: object, command: string) => judgeCommand(command, { ...ordinaryFolder, ...state }).verdict;
  assert.equal(after({ variables: { PAGER: "rm -rf ~" } }, "git log"), "hardline");
  assert.equal(after({ variables: { PAGER: "rm -rf ~" } }, "echo hi"), "safe");
  assert.equal(after({ variables: { PAGER: "less", LESSOPEN: "|/usr/bin/lesspipe %s" } }, "git log"), "safe");
  assert.equal(after({ variables: { PATH: "/tmp/x:/usr/bin" } }, "ls"), "dangerous");
  assert.equal(after({ functions: { ls: "ls () \n{ \n    rm -rf ~\n}" } }, "ls"), "hardline");
  assert.equal(after({ aliases: { ll: "rm -rf build" } }, "ll"), "dangerous");
});

test("a definition that shadows a command needs approval", () => {
  const verdict = (command: string) => judgeCommand(command, ordinaryFolder).verdict;
  assert.equal(verdict("ls() { command ls; }"), "dangerous");
  assert.equal(verdict("alias git=/tmp/git"), "dangerous");
  assert.equal(verdict("alias ls='ls --color'"), "safe");
  assert.equal(verdict("build() { npm run build; }; build"), "safe");
});
