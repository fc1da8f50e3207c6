import assert from "node:assert/strict";
import { test } from "node:test";

import { manifestText, readManifest } from "./file-sync.ts";
import { isSafePath } from "./local-files-to-sync.ts";

const hash = "a".repeat(64);

test("reading a manifest returns the entries that were written, in any order", () => {
  const manifest = new Map([
    ["skills/it's b.md", { hash, isReadOnly: false }],
    ["token", { hash, isReadOnly: true }],
  ]);
  assert.deepEqual(readManifest(manifestText(manifest)), manifest);
  assert.equal(manifestText(new Map([...manifest].toReversed())), manifestText(manifest));
});

test("unsafe paths are dropped from a manifest", () => {
  const text = ["../x", "/etc/passwd", "a/../../b", "a//b", ".", "a\\b"].map((path) => `${hash} w ${path}\n`).join("");
  assert.equal(readManifest(`${text}nonsense\n${hash} w good\n`).size, 1);
  assert.ok(!isSafePath("..") && !isSafePath("") && isSafePath(".x/..y/z..."));
});
