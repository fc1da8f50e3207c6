import assert from "node:assert/strict";
import { test } from "node:test";

import { withoutControls } from "./without-controls.ts";

test("terminal control sequences are removed; line breaks, tabs, accents and joined characters stay", () => {
  assert.equal(withoutControls("\x1b[2Ja\x9b31mb\x07\r\x08"), "[2Ja31mb");
  assert.equal(withoutControls("abc \u202egnp.exe\u2066x\u2069"), "abc gnp.exex");
  assert.equal(withoutControls("ä\tb\n👩‍👧 日本"), "ä\tb\n👩‍👧 日本");
});
