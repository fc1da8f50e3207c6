import assert from "node:assert/strict";
import { test } from "node:test";

import { exitCodeOf, exitMeaning, hintFrom } from "./exit-meaning.ts";

test("every way in which a command can end has the exit code that a shell would report", () => {
  assert.equal(exitCodeOf({ ended: "exit", exitCode: 3 }), 3);
  assert.equal(exitCodeOf({ ended: "signal", signal: "SIGKILL" }), 137);
  assert.equal(exitCodeOf({ ended: "timeout" }), 124);
  assert.equal(exitCodeOf({ ended: "aborted" }), 130);
  assert.equal(exitCodeOf({ ended: "lost" }), -1);
});

for (const [command, code, output, meaning] of [
  ["grep x file", 1, "", "no match; not an error"],
  ["cat file | /usr/bin/grep -c x", 1, "0\n", "no match; not an error"],
  ["LC_ALL=C grep 'a | b; c' file", 1, "", "no match; not an error"],
  ["cd /tmp && rg x", 1, "", "no match; not an error"],
  ["cd /nope && rg x", 1, "cd: /nope: No such file or directory\n", undefined],
  ["grep x file; false", 1, "", undefined],
  ["grep x file || diff a b", 1, "< a\n", "there are differences; not an error"],
  ["echo 'grep'", 1, "", undefined],
  ["grep x file", 2, "grep: file: No such file or directory\n", undefined],
  ["grep x file", 0, "x\n", undefined],
  ["[ -f x ]", 1, "", "the condition is false; not an error"],
  ["curl -sf http://x", 22, "", "the server answered with an HTTP error"],
  ["make", 139, "", "ended by SIGSEGV"],
  ["exit 255", 255, "", undefined],
  ["", 1, "", undefined],
] as const) {
  test(`${code} of ${JSON.stringify(command)} ${meaning === undefined ? "says nothing more" : `means: ${meaning}`}`, () => {
    assert.equal(exitMeaning(command, code, output), meaning);
  });
}

for (const [output, hint] of [
  ["bash: line 1: jq: command not found\n", /not installed/],
  ["sh: 1: jq: not found\n", /not installed/],
  ["ModuleNotFoundError: No module named 'x'\n", /module is missing/],
  ["CONFLICT (content): Merge conflict in a\n", /conflicts/],
  ["fatal: destination path 'a' already exists\n", /exists already/],
  ["cat: /etc/shadow: Permission denied\n", /Permission/],
  ['Unknown JSON field: "x"\nAvailable fields:\n', /gh/],
  ["HTTP 403: API rate limit exceeded\n", /rate limit/],
] as const) {
  test(`a failed command with the output ${JSON.stringify(output)} gets a hint`, () =>
    assert.match(hintFrom(output) ?? "", hint));
}

test("hints use only the beginning of the output, and most output gets no hint", () => {
  assert.equal(hintFrom("1 test failed\n"), undefined);
  assert.equal(hintFrom(`${"x".repeat(4_000)}permission denied`), undefined);
});
