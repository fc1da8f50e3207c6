import assert from "node:assert/strict";
import { test } from "node:test";

import { withoutControls } from "./without-controls.ts";

test("what a terminal would obey is left out; lines, tabs, accents and joined signs stay", () => {
  assert.equal(withoutControls("\x1b[2Ja\x9b31mb\x07\r\x08"), "[2Ja31mb");
  assert.equal(withoutControls("abc \u202egnp.exe\u2066x\u2069"), "abc gnp.exex");
  assert.equal(withoutControls("ä\tb\n👩‍👧 日本"), "ä\tb\n👩‍👧 日本");
});
