import assert from "node:assert/strict";
import { test } from "node:test";

import { mcpTraits } from "./call-rules.ts";

test("scripts can call the tools of an MCP server only if its settings allow it", () => {
  const entry = { name: "s", trust: "untrusted", isParallel: false } as const;
  assert.equal(mcpTraits(entry, true).callers, "model");
  assert.equal(mcpTraits({ ...entry, isForScripts: true }, true).callers, "both");
});
