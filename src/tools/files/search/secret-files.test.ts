import assert from "node:assert/strict";
import { test } from "node:test";

import { withoutSecrets } from "./file-filter.ts";

test("a folder search skips files whose names are denied", () => {
  const { takes } = withoutSecrets({ folder: "/home/anna" }, ["/home/anna/.hermes"]);
  const secret = [
    ".env",
    "project/.env.local",
    ".ssh/id_rsa",
    ".config/gh/hosts.yml",
    ".hermes/audit/audit.jsonl",
    ".hermes/profiles/team/auth.json",
  ];
  const others = [".env.example", "src/env.ts", "ssh/notes.md", ".hermes/skills/a/SKILL.md", "project/audit/x.md"];
  assert.deepEqual(secret.filter(takes), []);
  assert.deepEqual(others.filter(takes), others);
  assert.equal(withoutSecrets({ folder: "/project", file: ".env" }, []).takes(".env"), true);
});
