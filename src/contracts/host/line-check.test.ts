import assert from "node:assert/strict";
import { test } from "node:test";

import { lineCheck } from "./line-check.ts";

const check = lineCheck("id and word", ({ word }) => (typeof word === "string" ? { word } : "word is missing"));

test("the response to a line has the id of the line, and a line may contain additional fields", () => {
  assert.deepEqual(check('{"id":"a","word":"x","more":1}'), { ok: true, line: '{"id":"a","word":"x"}' });
  assert.deepEqual(check('\ufeff{"id":1,"word":"x"}\r'), { ok: true, line: '{"id":1,"word":"x"}' });
});

test("the response to an invalid line contains the reason", () => {
  for (const line of ["", "no", "[]", "null", '"x"', "{", '{"id":1}', '{"word":5}']) {
    const { ok, line: answer } = check(line);
    assert.equal(ok, false, line);
    assert.equal(typeof (JSON.parse(answer) as { readonly error?: unknown }).error, "string", line);
  }
});
