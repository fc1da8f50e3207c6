import assert from "node:assert/strict";
import { test } from "node:test";

import { checkSecretsLine } from "./check-lines.ts";

test("the response to a line has the redacted text and the id of the line", () => {
  const { us, ...answer } = JSON.parse(
    checkSecretsLine('{"id":7,"text":"password=hunter2","mode":"terminal","command":"env"}').line,
  ) as Record<string, unknown>;
  assert.deepEqual(answer, { id: 7, text: "password=***" });
  assert.equal(typeof us, "number");
});

test("a line without a text, or with an unknown mode, is reported as an error", () => {
  assert.deepEqual(checkSecretsLine('{"id":1,"mode":"log"}'), {
    ok: false,
    line: '{"id":1,"error":"text is missing"}',
  });
  assert.deepEqual(checkSecretsLine('{"id":1,"text":"x","mode":"loud"}'), {
    ok: false,
    line: '{"id":1,"error":"mode must be one of log, terminal, file, egress"}',
  });
});
