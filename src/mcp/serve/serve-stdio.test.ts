import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";

import { systemClock as clock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { serveOverStdio } from "./serve-stdio.ts";
import type { OpenClient } from "./served-client.ts";

test("while a client reads no answers, few of them wait in memory", async () => {
  const total = 100;
  let unread = 0;
  let maxUnread = 0;
  const open: OpenClient = () => ({
    tools: async () => [],
    content: async () => [],
    async call() {
      unread += 1;
      maxUnread = Math.max(maxUnread, unread);
      return ok({ content: [{ type: "text", text: "x".repeat(1 << 20) }] });
    },
    async [Symbol.asyncDispose]() {},
  });
  const call = { method: "tools/call", params: { name: "read", arguments: {} } };
  const clientInfo = { name: "slow", version: "1" };
  const requests = [
    { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    ...Array.from({ length: total }, (_, index) => ({ id: index + 1, ...call })),
  ];
  const answered = Promise.withResolvers<void>();
  let answers = 0;
  async function* input(): AsyncIterable<Uint8Array> {
    for (const request of requests) {
      yield Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
      await nextTurn();
    }
    await answered.promise;
  }
  async function write(text: string): Promise<void> {
    if (!text.includes("xxx")) return;
    // Meanwhile a server without a limit handles all requests.
    if (answers === 0) for (let turn = 0; turn < 5_000; turn++) await nextTurn();
    unread -= 1;
    answers += 1;
    if (answers === total) answered.resolve();
  }
  await serveOverStdio({ input: input(), write, clock, report: () => {} }, open, new AbortController().signal);
  assert.equal(answers, total);
  assert.ok(maxUnread < total / 2, `${maxUnread} answers waited`);
});
