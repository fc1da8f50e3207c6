import assert from "node:assert/strict";
import { test } from "node:test";

import { parsePatch } from "./parse-patch.ts";

const patch = '*** Begin Patch\n*** Update File: a.ts\n@@\n-say("a\\n")\n+say("b\\n")\n*** End Patch';
const diff = "--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n";

function withoutLines(value: unknown): string {
  return JSON.stringify(value, (key, each: unknown) => (key === "line" ? undefined : each));
}

test("a patch in JSON is the same patch", () => {
  for (const plain of [patch, diff])
    for (const wrapped of [
      JSON.stringify(plain),
      JSON.stringify({ patch: plain }),
      JSON.stringify({ mode: "patch", input: { patch: plain } }, undefined, 2),
      JSON.stringify(["apply_patch", plain]),
      JSON.stringify({ command: ["bash", "-lc", `apply_patch <<'EOF'\n${plain}\nEOF\n`] }),
      JSON.stringify(plain).slice(1, -1),
    ]) {
      const [got, expected] = [parsePatch(wrapped), parsePatch(plain)];
      assert.ok(got.ok && expected.ok, wrapped);
      assert.equal(withoutLines(got.value), withoutLines(expected.value), wrapped);
    }
});

test("JSON with two patches, or with none, is not a patch", () => {
  assert.ok(!parsePatch(JSON.stringify([patch, patch])).ok);
  assert.ok(!parsePatch(JSON.stringify({ patch: "none" })).ok);
  assert.ok(!parsePatch('{"patch": "*** Begin Patch').ok);
});

test("deeply nested JSON is refused like any other text", () => {
  for (const [open, close] of [
    ["[", "]"],
    ['{"a":', "}"],
  ] as const) {
    const nested = `${open.repeat(50_000)}${JSON.stringify(patch)}${close.repeat(50_000)}`;
    assert.equal(parsePatch(nested).ok, false);
  }
});
