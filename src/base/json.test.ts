import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import * as fc from "fast-check";

import { anyText } from "../../test/support/any-text.ts";
import { assertFails } from "../../test/support/failure.ts";
import { assertGrowsLinearly } from "../../test/support/growth.ts";
import { checkJson, canonicalJson, isCleanJson, isObject, type JsonValue, parseJson } from "./json.ts";

const limits = { maxChars: 1_000_000, maxDepth: 100 };

function refusal(text: string, more: Partial<typeof limits> = {}): string {
  const result = parseJson(text, { ...limits, ...more });
  return result.ok ? `accepted ${JSON.stringify(result.value)}` : result.error;
}

test("any valid JSON is parsed", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes("__proto__"));
      // JSON writes -0 as 0.
      assert.deepEqual(parseJson(text, limits), { ok: true, value: JSON.parse(text) });
    }),
  );
});

test("parseJson never throws", () => {
  fc.assert(fc.property(anyText(), (text) => void parseJson(text, limits)));
});

test("text that is too long, too deep or not JSON is rejected with a message", () => {
  assert.equal(refusal("12345", { maxChars: 4 }), "the JSON text has 5 characters; the limit is 4");
  assert.match(refusal("{"), /^not JSON: /u);
  assert.match(refusal(""), /^not JSON: /u);
  assert.equal(refusal("[".repeat(10_000)), "JSON nests deeper than 100 levels");
  assert.equal(refusal('{"a":'.repeat(10_000)), "JSON nests deeper than 100 levels");
  assert.equal(refusal('{"a":[{"__proto__":1}]}'), "the key __proto__ is not accepted");
  assert.equal(refusal("1e999"), "Infinity is not a JSON number");
});

test("a JSON text and its parsed value have the same depth", () => {
  for (const [text, depth] of [
    ["1", 0],
    ["[]", 1],
    ['[[1,"[[["]]', 2],
    ['{"a":{"b":{}}}', 3],
  ] as const) {
    assert.equal(parseJson(text, { ...limits, maxDepth: depth }).ok, true, text);
    assert.equal(checkJson(JSON.parse(text), { ...limits, maxDepth: depth }).ok, true, text);
    if (depth > 0) assert.equal(checkJson(JSON.parse(text), { ...limits, maxDepth: depth - 1 }).ok, false, text);
  }
});

test("parsed JSON is clean if checkJson accepts it unchanged", () => {
  const texts = fc.oneof(
    fc.json(),
    fc.constantFrom('{"a":[1e999]}', '["\\ud800"]', '{"\\udc00":1}', '[{"__proto__":1}]', '{"a":[[[[[[]]]]]]}'),
  );
  fc.assert(
    fc.property(texts, fc.nat(200), fc.nat(8), (text, maxChars, maxDepth) => {
      const value: unknown = JSON.parse(text);
      const checked = checkJson(value, { maxChars, maxDepth });
      const isUnchanged = checked.ok && isDeepStrictEqual(checked.value, value);
      assert.equal(isCleanJson(value, { maxChars, maxDepth }), isUnchanged, text);
    }),
  );
});

test("lone surrogates in JSON become U+FFFD, in keys too", () => {
  assert.deepEqual(parseJson('{"\\ud800":"a\\udc00"}', limits), { ok: true, value: { "\ufffd": "a\ufffd" } });
});

test("the time to refuse long and deep JSON is proportional to its length", async () => {
  assert.match(refusal(`"${"x".repeat(10_000_000)}"`), /the JSON text has \d+ characters/u);
  await assertGrowsLinearly(500_000, (size) =>
    assert.match(refusal(`${"[".repeat(size)}${"]".repeat(size)}`), /nests deeper/u),
  );
});

test("checkJson rejects values that are not JSON and never throws", () => {
  const circular: unknown[] = [];
  circular.push(circular);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const trap = {
    get trap(): never {
      throw new Error("no");
    },
  };
  const bad = [
    undefined,
    1n,
    Number.NaN,
    () => 1,
    Symbol("s"),
    circular,
    proxy,
    trap,
    [undefined],
    Object.assign([], { length: 4_000_000_000 }),
  ];
  for (const value of bad)
    assertFails(checkJson(value, limits), /is not a JSON (?:value|number)|contains itself|cannot be read as JSON/u);
  assert.equal(
    checkJson(
      Array.from({ length: 2_000_000 }, () => 0),
      limits,
    ).ok,
    false,
  );
});

test("checkJson copies the value, omits undefined and accepts a value that occurs twice", () => {
  const shared = { a: 1 };
  const value = { x: shared, y: [shared, null], gone: undefined };
  const admitted = checkJson(value, limits);
  assert.deepEqual(admitted, { ok: true, value: { x: { a: 1 }, y: [{ a: 1 }, null] } });
  shared.a = 2;
  assert.deepEqual(admitted, { ok: true, value: { x: { a: 1 }, y: [{ a: 1 }, null] } });
});

test("equal values have equal canonical text for any order of keys", () => {
  assert.equal(canonicalJson({ b: [1, { d: null, c: "x" }], a: true }), '{"a":true,"b":[1,{"c":"x","d":null}]}');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
      const turned = Object.fromEntries(Object.entries(object).toReversed());
      assert.equal(canonicalJson(turned as JsonValue), canonicalJson(object as JsonValue));
    }),
  );
});

test("isObject accepts only {…}", () => {
  assert.deepEqual([{}, null, [], "", undefined].map(isObject), [true, false, false, false, false]);
});

test("the length limit counts one long string like many short ones", () => {
  assert.deepEqual(checkJson({ a: "x".repeat(101) }, { maxChars: 100, maxDepth: 5 }), {
    ok: false,
    error: "the value has more than 100 characters",
  });
});
