import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../base/ids.ts";
import { ok } from "../../base/result.ts";
import { createGuardrails } from "./guardrails.ts";

const call = (command: string) => ({ id: asId<CallId>("c"), name: "terminal", args: JSON.stringify({ command }) });
const said = (text: string) => ok({ content: [{ type: "text" as const, text }] });
const acting = { traits: { readOnly: false, parallel: false, callers: "both", untrusted: false } } as const;

test("a command that is run again right away and says the same is warned of, refused, and ends the turn", () => {
  const rails = createGuardrails();
  let ran = 0;
  let warnings = 0;
  while (rails.halt === undefined && ran < 100) {
    if (rails.refusal(call("echo same")) !== undefined) continue;
    ran += 1;
    if (rails.remark(call("echo same"), acting, said(`{"duration_ms":${ran},"output":"same"}`)) !== undefined)
      warnings += 1;
  }
  assert.deepEqual({ ran, warnings }, { ran: 30, warnings: 19 });
  assert.equal(rails.halt, "terminal was called again and again in the same way");
});

test("a command that says something new, or runs between others, is work", () => {
  const rails = createGuardrails();
  for (let n = 0; n < 100; n += 1) {
    assert.equal(rails.refusal(call("make test")), undefined);
    assert.equal(rails.remark(call("make test"), acting, said("1 failed")), undefined);
    assert.equal(rails.remark(call(`edit ${n}`), acting, said("")), undefined);
  }
  for (let n = 0; n < 100; n += 1) assert.equal(rails.remark(call("date"), acting, said(`${n}`)), undefined);
});
