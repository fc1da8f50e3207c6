// covers: src/mcp/client, src/mcp/fleet, src/runtime/mcp, src/base/process
import assert from "node:assert/strict";
import { test } from "node:test";

import { reconnectRound } from "../support/mcp-reconnects.ts";

/** `npm run soak` does the same a hundred times, in twenty rounds. */
test("servers that are killed or cancelled during calls leave no process, and every call has a result", async () => {
  const { running, left, withoutResult, failures, calls } = await reconnectRound(3);
  assert.ok(running > 1, "the servers have children");
  assert.deepEqual({ left, withoutResult, failures, calls }, { left: 0, withoutResult: 0, failures: [], calls: 6 });
});
