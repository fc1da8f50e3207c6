import assert from "node:assert/strict";
import { test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { systemClock as clock } from "../../base/clock.ts";
import { ok } from "../../base/result.ts";
import { serveOverHttp } from "./serve-http.ts";
import type { OpenClient } from "./served-client.ts";

const token = "0123456789abcdef0123";

test("clients without protocol sessions share a session by name, and the oldest one ends when there are many", async () => {
  const opened: string[] = [];
  const ended: string[] = [];
  const open: OpenClient = ({ name }) => {
    opened.push(name);
    return {
      tools: async () => [],
      content: async () => [],
      call: async () => ok({ content: [] }),
      async [Symbol.asyncDispose]() {
        ended.push(name);
      },
    };
  };
  const server = await serveOverHttp({ names: [], token, clock, report: () => {} }, open);
  assert.ok(server.ok);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const url = new URL(`http://127.0.0.1:${server.value.port}/mcp`);
  const visit = async (name: string): Promise<void> => {
    const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    await client.listTools();
    await client.close();
  };
  const names = Array.from({ length: 70 }, (_, index) => `client-${index}`);
  for (const name of ["client-0", ...names.slice(0, 60), "client-0", ...names.slice(60)]) await visit(name);
  assert.deepEqual(opened, names, "each name opened one session");
  assert.deepEqual(ended, names.slice(1, 7), "those that were not used for the longest time");
  await server.value[Symbol.asyncDispose]();
  assert.deepEqual(ended.toSorted(), names.toSorted());
});
