import assert from "node:assert/strict";
import { test } from "node:test";

import { silentLog } from "./log.ts";

test("the silent log accepts everything and writes nothing", () => {
  for (const level of ["debug", "info", "warn", "error"] as const)
    assert.equal(silentLog[level]("x", { a: 1 }), undefined);
  assert.equal(silentLog.with({ a: 1 }), silentLog);
});
