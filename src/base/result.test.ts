import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok, reasonOf } from "./result.ts";

test("a result is ok or an error", () => {
  assert.deepEqual(
    [ok(1), err("no")],
    [
      { ok: true, value: 1 },
      { ok: false, error: "no" },
    ],
  );
});

test("any thrown value becomes a message", () => {
  const unshowable = {
    toString() {
      throw new Error("no");
    },
  };
  const thrown = [new Error("why"), new TypeError(""), "text", 0, undefined, Object.create(null), unshowable];
  const unseen = "an error that cannot be shown";
  assert.deepEqual(thrown.map(reasonOf), ["why", "TypeError", "text", "0", "undefined", unseen, unseen]);
});
