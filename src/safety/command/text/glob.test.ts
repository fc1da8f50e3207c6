import assert from "node:assert/strict";
import test from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { matchesGlob } from "./glob.ts";

test("a pattern matches the names to which the shell would expand it", () => {
  for (const [pattern, text] of [
    ["/e?c", "/etc"],
    ["/[e]tc", "/etc"],
    ["/[a-f]t*", "/etc"],
    ["/*/sh*dow", "/etc/shadow"],
    ["r[!x]", "rm"],
    ["*", ""],
  ] as const)
    assert.ok(matchesGlob(pattern, text), `${pattern} ${text}`);
  for (const [pattern, text] of [
    ["/*", "/etc/shadow"],
    ["/e?", "/etc"],
    ["r[!m]", "rm"],
    ["[", "x"],
  ] as const)
    assert.ok(!matchesGlob(pattern, text), `${pattern} ${text}`);
});

test("a text matches itself, even if a star is inserted at any position", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{0,20}$/u), fc.nat(20), (text, index) => {
      assert.ok(matchesGlob(text, text));
      assert.ok(matchesGlob(`${text.slice(0, index)}*${text.slice(index)}`, text));
    }),
  );
});

test("the time to match a pattern with many stars grows linearly with the length of the text", async () => {
  await assertGrowsLinearly(5_000, (size) => matchesGlob("*a".repeat(200), `${"a".repeat(size)}b`));
});
