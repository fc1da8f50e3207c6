import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertFails } from "../../../test/support/failure.ts";
import { keyText, parseKey } from "./key-path.ts";

test("dots, quotes and brackets separate the parts of a key", () => {
  for (const [text, path] of [
    ["a.b", ["a", "b"]],
    ['a."b.c".d', ["a", "b.c", "d"]],
    ["a['b c']", ["a", "b c"]],
    ['a["b"].c', ["a", "b", "c"]],
    ["a.0.b", ["a", 0, "b"]],
    ["a[12]", ["a", 12]],
    ["'x.y'", ["x.y"]],
  ] as const) {
    assert.deepEqual(parseKey(text), { ok: true, value: path });
  }
});

test("text that is not a key is rejected", () => {
  for (const text of ["", ".", "a.", ".a", "a..b", "a b", 'a."', "a[", "a[x]", "a]b", "__proto__", "a.__proto__"]) {
    assertFails(parseKey(text), /^(?:"[\s\S]*" is not a key: |the key __proto__ is not accepted|the key is empty)/u);
  }
});

test("a path as text is read back as the same path", () => {
  const part = fc
    .string({ minLength: 1, unit: "grapheme" })
    .filter((text) => text !== "__proto__" && !/^\d{1,6}$/u.test(text));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (path) => {
      assert.deepEqual(parseKey(keyText(path)), { ok: true, value: path });
    }),
  );
});
