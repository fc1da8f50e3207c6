import assert from "node:assert/strict";
import { test } from "node:test";

import { dumpsEnvironment } from "./environment-dump.ts";

test("commands that print variables or files of variables are recognised, even inside other commands", () => {
  const dumping = [
    "env",
    "env | sort",
    "printenv API_KEY",
    "export -p",
    "set",
    "declare -x",
    "cat .env",
    "cd /srv && cat ./.env.production",
    "sudo -E env",
    "bash -c 'printenv'",
    "docker exec web env",
    "kubectl exec pod -- printenv",
    "FOO=1 env",
    "cat </proc/self/environ",
    "python3 -c 'print(open(\".env\").read())'",
    "Get-ChildItem Env:",
    "vault-1.2 read secret/db",
  ];
  assert.deepEqual(
    dumping.filter((command) => !dumpsEnvironment(command)),
    [],
  );
});

test("commands that only mention variables do not count as printing them", () => {
  const other = [
    "env FOO=1 npm test",
    "set -e",
    "export FOO=1",
    "cat .env.example",
    "cat environment.ts",
    "echo env",
    "git log --grep env",
    "ls .env",
    "npm run env",
    "",
  ];
  assert.deepEqual(
    other.filter((command) => dumpsEnvironment(command)),
    [],
  );
});
