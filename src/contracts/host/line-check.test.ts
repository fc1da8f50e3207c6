import assert from "node:assert/strict";
import { test } from "node:test";

import { lineCheck } from "./line-check.ts";

const check = lineCheck("id and word", ({ word }) => (typeof word === "string" ? { word } : "word is missing"));

test("the answer to a line has its id, and a line may contain other fields", () => {
  assert.deepEqual(check('{"id":"a","word":"x","more":1}'), { ok: true, line: '{"id":"a","word":"x"}' });
  assert.deepEqual(check('\ufeff{"id":1,"word":"x"}\r'), { ok: true, line: '{"id":1,"word":"x"}' });
});

test("an invalid line is answered with the reason", () => {
  for (const line of ["", "no", "[]", "null", '"x"', "{", '{"id":1}', '{"word":5}']) {
    const { ok, line: answer } = check(line);
    assert.equal(ok, false, line);
    assert.equal(typeof (JSON.parse(answer) as { readonly error?: unknown }).error, "string", line);
  }
});
