import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { err, ok } from "../../base/result.ts";
import type { McpFault } from "../../contracts/mcp/connection.ts";
import { listAll } from "./listing.ts";
import type { AskServer } from "./request.ts";

const limits = { signal: new AbortController().signal, timeoutMs: 1_000 };

async function listed(page: (cursor: string | undefined) => JsonObject | McpFault) {
  const problems: string[] = [];
  const ask: AskServer = async (_method, { cursor }) => {
    const answer = page(typeof cursor === "string" ? cursor : undefined);
    // A fault has a kind; a page has none.
    return "kind" in answer ? err(answer as unknown as McpFault) : ok(answer);
  };
  const request = {
    method: "tools/list",
    key: "tools",
    read: (raw: unknown) => (typeof raw === "number" ? raw : undefined),
    problem: (text: string) => void problems.push(text),
  };
  return { result: await listAll(ask, request, limits, fakeClock()), problems };
}

test("all pages of a list are joined, and unreadable items are dropped", async () => {
  const pages: Record<string, JsonObject> = { "": { tools: [1, "x"], nextCursor: "b" }, b: { tools: [2] } };
  const { result, problems } = await listed((cursor = "") => pages[cursor] ?? {});
  assert.deepEqual([result, problems], [ok([1, 2]), []]);
});

test("endless pages, repeated pages and too many items end the list and are reported as a problem", async () => {
  let count = 0;
  const endless = await listed(() => ({ tools: [1], nextCursor: `c${count++}` }));
  assert.deepEqual(endless.problems, [
    "The list of tools was cut after 1000 entries: the list has more than 1000 pages.",
  ]);
  const repeated = await listed(() => ({ tools: [1], nextCursor: "same" }));
  assert.deepEqual([repeated.result, repeated.problems.length], [ok([1]), 1]);
  const many = await listed(() => ({ tools: Array.from({ length: 10_001 }, () => 1) }));
  assert.deepEqual(many.problems, [
    "The list of tools was cut after 10000 entries: the list has more than 10000 entries.",
  ]);
});

test("if the first page fails, the list fails; if a later page fails, the earlier pages are kept", async () => {
  const timeout: McpFault = { kind: "timeout", message: "late", isSent: true };
  assert.deepEqual((await listed(() => timeout)).result, err(timeout));
  const partial = await listed((cursor) => (cursor === undefined ? { tools: [1], nextCursor: "b" } : timeout));
  assert.deepEqual(partial.result, ok([1]));
});
