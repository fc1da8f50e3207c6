import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { createMask } from "./mask.ts";

function maskOf(...values: string[]) {
  const mask = createMask();
  for (const value of values) mask.add(value);
  return mask;
}

test("a registered secret is masked at any position", () => {
  const mask = maskOf("s3cret-value");
  assert.equal(mask.redact("a s3cret-value b s3cret-values3cret-value"), "a *** b ******");
  assert.equal(mask.redact("nothing here"), "nothing here");
});

test("short values and whitespace are not masked, and whitespace around a value does not prevent masking", () => {
  const mask = maskOf("short", "      ", "", "  padded-value\n");
  assert.equal(mask.redact("short       x padded-value"), "short       x ***");
});

test("if one secret starts with another, the longer one is masked completely", () => {
  const mask = maskOf("abcdef", "abcdefghij");
  assert.equal(mask.redact("abcdefghij abcdefgh"), "*** ***gh");
});

test("overlapping secrets are masked completely", () => {
  assert.equal(maskOf("abcdef", "efghij", "ijklmn").redact("xabcdefghijklmnx"), "x***x");
});

test("a secret is masked in its JSON, URL and base64 spellings", () => {
  const value = 'p@ss "wörd"\\ +/1';
  const mask = maskOf(value);
  const json = JSON.stringify(value);
  const written = [
    value,
    json,
    JSON.stringify(json),
    JSON.stringify({ body: JSON.stringify({ json }) }),
    encodeURIComponent(value),
    encodeURIComponent(value).toLowerCase(),
    encodeURI(value),
    new URLSearchParams({ q: value }).toString(),
    'p@ss \\"w\\u00f6rd\\"\\\\ +/1',
  ];
  for (const text of written) {
    const hidden = mask.redact(text);
    assert.ok(hidden.includes("***") && !/ss|rd/u.test(hidden), `${text} → ${hidden}`);
  }
});

test("a secret is masked in its shell, XML and hex spellings", () => {
  const mask = maskOf(`it's a "$x" & <y>`);
  const spellings = [
    String.raw`it\'s\ a\ \"\$x\"\ \&\ \<y\>`,
    String.raw`it's a \"\$x\" & <y>`,
    String.raw`it'\''s a "$x" & <y>`,
    "it's a &quot;$x&quot; &amp; &lt;y&gt;",
    Buffer.from(`it's a "$x" & <y>`).toString("hex"),
  ];
  for (const spelling of spellings) assert.equal(mask.redact(`(${spelling})`), "(***)", spelling);
});

test("each long line of a multi-line secret is masked", () => {
  const mask = maskOf("-----BEGIN-----\nabcdefghijklmnopqrstuvwxyz\n-----END-----");
  assert.equal(mask.redact("1 abcdefghijklmnopqrstuvwxyz 2\n-----END-----"), "1 *** 2\n-----END-----");
});

test("the base64 form of a secret is masked at any alignment", () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 8 }), fc.string(), (before, value, after) => {
      fc.pre(value.trim() === value);
      const mask = maskOf(value);
      const bytes = Buffer.from(before + value + after);
      for (const encoding of ["base64", "base64url"] as const) {
        assert.ok(mask.redact(bytes.toString(encoding)).includes("***"));
      }
    }),
  );
});

test("masked text contains no registered secret, and text without one stays unchanged", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 6, maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), maxLength: 60 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), text, (values, text) => {
      const hidden = maskOf(...values).redact(text);
      for (const value of values) assert.ok(!hidden.includes(value));
      if (!values.some((value) => text.includes(value))) assert.equal(hidden, text);
    }),
  );
});

test("hostile secret values neither throw nor mask other text", () => {
  const mask = maskOf(
    "\\\\\\\\\\\\\\\\",
    "(a+)+$$",
    "\ud800lone surrogate",
    "constructor",
    "x".repeat(200_000),
    "[^.]*?|{}",
  );
  assert.equal(mask.redact("(a+)+$$ and aaaaaaa"), "*** and aaaaaaa");
  assert.equal(mask.redact("[^.]*?|{} anything"), "*** anything");
});

test("the time to mask two hundred secrets is proportional to the length of the text", async () => {
  const values = Array.from({ length: 200 }, (_, index) => `sk-proj-${index}-${"abcdefghij".repeat(3)}${index * 7919}`);
  const mask = maskOf(...values);
  await assertGrowsLinearly(23_000, (size) => {
    const text = `${"the quick brown fox says sk-proj and jumps. ".repeat(size)}${values[150]}`;
    assert.ok(mask.redact(text).endsWith("***"));
  });
});
