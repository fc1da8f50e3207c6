import assert from "node:assert/strict";
import { test } from "node:test";

import { sandboxHint } from "./foreground.ts";

const open = { hasNetwork: true, hidden: ["/home/anna/.ssh"] };

for (const [output, hint] of [
  ["touch: cannot touch '/etc/x': Read-only file system\n", /only the workspace/],
  ["Error: EROFS: read-only file system, mkdir '/home/anna/.foo'\n", /only the workspace/],
  ["cat: /home/anna/.ssh/id_rsa: No such file or directory\n", /\/home\/anna\/\.ssh cannot be seen/],
  ["Cannot connect to the Docker daemon at unix:///var/run/docker.sock.\n", /daemons/],
  ['sudo: The "no new privileges" flag is set\n', /sudo/],
  ["git@host: Permission denied (publickey).\n", /keys/],
  ["bwrap: Can't mkdir /x: No space left on device\n", /could not be set up/],
] as const) {
  test(`output ${JSON.stringify(output)} gets a hint that names the sandbox and the way out`, () => {
    const result = sandboxHint(output, open) ?? "";
    assert.match(result, hint);
    assert.match(result, /sandbox.*outside: true/);
  });
}

test("the hint mentions the network only if the sandbox has none", () => {
  const output = "curl: (6) Could not resolve host: example.org\n";
  assert.equal(sandboxHint(output, open), undefined);
  assert.match(sandboxHint(output, { ...open, hasNetwork: false }) ?? "", /no network/);
});

test("the message Permission denied leads to the hint in a sandbox that refuses with these words", () => {
  const landlock = { ...open, refusal: "Permission denied" } as const;
  for (const output of [
    "touch: cannot touch '/etc/x': Permission denied\n",
    "Error: EACCES: permission denied, mkdir '/home/anna/.foo'\n",
    "failed to create directory (os error 13)\n",
  ]) {
    assert.match(sandboxHint(output, landlock) ?? "", /only the workspace.*outside: true/);
    assert.equal(sandboxHint(output, open), undefined);
  }
  assert.match(sandboxHint("cat: /home/anna/.ssh/id_rsa: Permission denied\n", landlock) ?? "", /cannot be seen/);
  assert.equal(sandboxHint("1 test failed\n", landlock), undefined);
});

test("a failure of the command itself leads to no such hint", () => {
  assert.equal(sandboxHint("1 test failed\n", open), undefined);
  assert.equal(sandboxHint("cat: x: Permission denied\n", open), undefined);
});
