import assert from "node:assert/strict";
import { test } from "node:test";

import { memoryStore } from "../../../../test/support/memory-store.ts";
import { asId, type CallId, type SessionId } from "../../../base/ids.ts";
import type { LedgerCall } from "../../../contracts/tool/ledger.ts";
import { text } from "../../../contracts/tool/tool-result.ts";
import { createSessionLog } from "./session-log.ts";

function scene() {
  const store = memoryStore();
  const sessionId = asId<SessionId>("ses_1");
  const log = createSessionLog(sessionId, [], store);
  const about = (id: string, parent?: string): LedgerCall => ({
    callId: asId<CallId>(id),
    ...(parent !== undefined && { parentCallId: asId<CallId>(parent) }),
    sessionId,
    tool: "read_file",
    args: {},
    effects: [],
    origin: "script",
    principal: { id: "local:test" },
  });
  const types = () =>
    store.stored.map((entry) => {
      if (entry.type === "planned") return `planned ${entry.call.callId}`;
      return "callId" in entry ? `${entry.type} ${entry.callId}` : entry.type;
    });
  return { store, log, about, types };
}

test("the record of a read-only call is written together with the next record, and before it", async () => {
  const { store, log, about, types } = scene();
  log.ledger.ended(about("read", "outer"), text("a"), 1);
  assert.deepEqual(types(), []);
  await log.ledger.planned(about("write", "outer"));
  await log.ledger.dispatched(asId<CallId>("write"));
  assert.deepEqual(types(), ["planned read", "settled read", "planned write", "dispatched write"]);
  const settled = store.stored.find((entry) => entry.type === "settled");
  assert.equal(settled?.type === "settled" && settled.parentCallId, "outer");
  const appended = await log.append([{ type: "state", name: "n", value: 1 }]);
  assert.deepEqual(
    appended.map(({ type }) => type),
    ["state"],
  );
});

test("flush writes pending records and reports a failure once, and closing flushes too", async () => {
  const { store, log, about, types } = scene();
  log.ledger.ended(about("first"), text("a"), 1);
  store.fail("disk full");
  await assert.rejects(log.ledger.flush(), /disk full/u);
  store.fail(undefined);
  await log.ledger.flush();
  log.ledger.ended(about("second"), text("a"), 1);
  await log.close();
  assert.deepEqual(types(), ["planned second", "dispatched second", "settled second"]);
});

test("a long script does not accumulate all of its records in memory", async () => {
  const { log, about, types } = scene();
  for (let index = 0; index < 1_000; index++) log.ledger.ended(about(`call_${index}`), text("a"), 1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(types().length >= 2_000);
});
