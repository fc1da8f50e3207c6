import assert from "node:assert/strict";

/** Fails unless the result is a failure with this reason; a reason that is not a text is matched as JSON. */
export function assertFails(result: { readonly ok: boolean; readonly error?: unknown }, reason: RegExp): void {
  assert.equal(result.ok, false, "expected a failure");
  const { error = result } = result;
  assert.match(typeof error === "string" ? error : JSON.stringify(error), reason);
}
