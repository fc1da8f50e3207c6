import assert from "node:assert/strict";
import { test } from "node:test";

import { parseSpan, passesFilter, readLogLine } from "./log-line-filter.ts";

const own = '{"at":"2026-11-17T02:00:00.000Z","level":"warn","event":"mcp.request_failed","server":"a b","n":2}';
const text = "2026-11-17 02:00:00,123 WARNING gateway.run: lost the connection";

test("JSON lines and text log lines are split into time, level, event and the rest", () => {
  assert.deepEqual(readLogLine(own), {
    at: Date.parse("2026-11-17T02:00:00Z"),
    level: "warn",
    event: "mcp.request_failed",
    text: 'server="a b" n=2',
  });
  const { at: writtenAt, ...rest } = readLogLine(text);
  assert.equal(writtenAt, Date.parse("2026-11-17T02:00:00.123"));
  assert.deepEqual(rest, { level: "warn", event: "gateway.run", text: "lost the connection" });
  assert.deepEqual(readLogLine("  File x.py, line 3"), { text: "  File x.py, line 3" });
  assert.deepEqual(readLogLine('{"cut o'), { text: '{"cut o' });
});

test("all filters must match; a line without a time or a level passes the filters for them", () => {
  const passes = (line: string, filter: Parameters<typeof passesFilter>[2]) =>
    passesFilter(line, readLogLine(line), filter);
  assert.ok(passes(own, { minLevel: "warn", component: "mcp", session: "a b", since: 0 }));
  assert.ok(!passes(own, { minLevel: "error" }));
  assert.ok(!passes(own, { component: "tools" }));
  assert.ok(!passes(own, { session: "20261117_0" }));
  assert.ok(!passes(own, { since: Date.parse("2026-11-17T03:00:00Z") }));
  assert.ok(passes("Traceback", { minLevel: "error", since: Date.parse("2026-11-17T03:00:00Z") }));
  assert.ok(passes(text, { component: "gateway" }));
});

test("time spans have a unit; without one they are minutes", () => {
  assert.deepEqual(["30m", "1h", "2d", "45", " 3 w", "soon", "-1h", "1y"].map(parseSpan), [
    1_800_000,
    3_600_000,
    172_800_000,
    2_700_000,
    1_814_400_000,
    undefined,
    undefined,
    undefined,
  ]);
});
