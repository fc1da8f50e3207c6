import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { blockedPath } from "./blocked-path.ts";
import { parseReferences } from "./parse-references.ts";

test("references have a kind, a value and lines; punctuation after them is not part of them", () => {
  const text =
    'Compare @file:src/a.ts:3-9, @file:"my notes.md":4 and (@src/b.ts). See @diff! @staged, @git:3; @commit:abc123. ' +
    "@url:https://example.com/a_(b)?x=1. @folder:src/ @session:latest";
  assert.deepEqual(parseReferences(text), [
    { kind: "file", text: "@file:src/a.ts:3-9", path: "src/a.ts", lines: { first: 3, last: 9 } },
    { kind: "file", text: '@file:"my notes.md":4', path: "my notes.md", lines: { first: 4, last: 4 } },
    { kind: "path", text: "@src/b.ts", path: "src/b.ts" },
    { kind: "diff", text: "@diff" },
    { kind: "staged", text: "@staged" },
    { kind: "git", text: "@git:3", count: "3" },
    { kind: "commit", text: "@commit:abc123", commit: "abc123" },
    { kind: "url", text: "@url:https://example.com/a_(b)?x=1", url: "https://example.com/a_(b)?x=1" },
    { kind: "folder", text: "@folder:src/", path: "src/" },
    { kind: "session", text: "@session:latest", session: "latest" },
  ]);
});

test("email addresses, code and words that only begin like a reference stay text", () => {
  const text = "mail me@example.com, `@file:a`, @different is a path\n```ts\n@file:secret.ts\n```\n@diff-x";
  assert.deepEqual(
    parseReferences(text).map(({ kind }) => kind),
    ["path", "path"],
  );
  assert.deepEqual(parseReferences("@ @, @."), []);
  assert.equal(parseReferences("@diff and @diff again").length, 1);
});

test("any text is parsed without an error, and each reference is a part of the text", () => {
  const words = fc.constantFrom(
    "@file:",
    "@",
    "@url:",
    '"',
    "'",
    "`",
    "```",
    "\n",
    " ",
    "a.ts",
    ":3-",
    "9",
    "..",
    "/",
    "@diff",
    "(",
    ")",
    ",",
    "\0",
    "é",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      for (const reference of parseReferences(text)) assert.ok(text.includes(reference.text), reference.text);
    }),
  );
});

test("keys, passwords and shell profiles are blocked wherever the workspace is", () => {
  const homes = ["/home/me", "/home/me/.hermes"];
  for (const path of [
    "/home/me/.ssh/config",
    "/srv/project/.aws/credentials",
    "/srv/project/id_rsa",
    "/srv/project/id_ed25519",
    "/srv/project/.npmrc",
    "/srv/project/.pypirc",
    "/srv/project/.netrc",
    "/srv/project/.pgpass",
    "/srv/project/.env",
    "/srv/project/sub/.env.production",
    "/home/me/.bashrc",
    "/home/me/.zshrc",
    "/home/me/.config/fish/config.fish",
    "/home/me/.hermes/.env",
    "/home/me/.hermes/auth.json",
    "/home/me/.hermes/skills/.hub/index",
    "/home/me/.kube/config",
    "/home/me/.gnupg/pubring.kbx",
  ])
    assert.notEqual(blockedPath(path, homes), undefined, path);
  for (const path of [
    "/srv/project/src/env.ts",
    "/srv/project/.env.example",
    "/home/me/notes.md",
    "/srv/project/.bashrc",
    "/srv/project/id_rsa.ts",
  ])
    assert.equal(blockedPath(path, homes), undefined, path);
});
