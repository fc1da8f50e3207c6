// covers: src/mcp/client, src/runtime/mcp
// Servers that break the protocol, its limits or their promises: a connection reports it in bounded time and memory.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import type { Result } from "../../src/base/result.ts";
import type { McpCallResult, McpFault } from "../../src/contracts/mcp/connection.ts";
import type { McpListing } from "../../src/contracts/mcp/definitions.ts";
import type { HostileMode } from "../fixtures/mcp-servers/modes.ts";
import { sourceFlags } from "../support/child-process.ts";
import { httpFaults, startHostileHttp } from "../support/hostile-http.ts";
import { mcpConnectionRig } from "../support/mcp-connection.ts";

const program = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "hostile.ts");
const limits = (timeoutMs = 60_000) => ({ signal: new AbortController().signal, timeoutMs });

interface Outcome {
  readonly listing?: Result<McpListing, McpFault>;
  readonly call?: Result<McpCallResult, McpFault>;
}

/** Connects over the transport, lists, calls `echo`, and closes. */
async function meet(mode: HostileMode, way: "stdio" | "http", timeoutMs?: number): Promise<Outcome> {
  await using rig = await mcpConnectionRig();
  await using http = way === "http" ? await startHostileHttp(mode) : undefined;
  const target = http ? { url: http.url } : { command: process.execPath, args: [...sourceFlags, program, mode] };
  const connection = await rig.connect(target);
  if (!connection.ok) return { call: connection };
  const listing = await connection.value.list(limits());
  const call = await connection.value.call("echo", { text: "hi" }, limits(timeoutMs));
  return { listing, call };
}

function describe({ listing, call }: Outcome): string {
  const listed = listing?.ok ? `${listing.value.tools.length} tools` : listing?.error.kind;
  return `${listed}; ${call?.ok ? JSON.stringify(call.value.content).slice(0, 80) : call?.error.kind}`;
}

const hi = JSON.stringify([{ type: "text", text: "hi" }]);
/** The outcome of a listing and a call. */
const outcomes: Partial<Record<HostileMode, string>> = {
  malformed: `1 tools; ${hi}`,
  split: `1 tools; ${JSON.stringify([{ type: "text", text: "Grüße 🌍 hi" }])}`,
  "answers-twice": `1 tools; ${hi}`,
  "wrong-structure": "1 tools; malformed",
  "huge-image": "1 tools; malformed",
  "many-parts": "1 tools; malformed",
  "deep-schema": `1 tools; ${hi}`,
  "wide-schema": `1 tools; ${hi}`,
  "schema-bomb": `5 tools; ${hi}`,
  "too-many-tools": `10000 tools; ${hi}`,
  "endless-pages": `1000 tools; ${hi}`,
  "exit-in-call": "1 tools; transport",
};

for (const [mode, expected] of Object.entries(outcomes) as [HostileMode, string][]) {
  // Over HTTP, frames are the business of HTTP, and long lists take long.
  const ways = ["malformed", "split", "deep-schema", "huge-image", "endless-pages"].includes(mode)
    ? (["stdio"] as const)
    : (["stdio", "http"] as const);
  for (const way of ways)
    test(`hostile over ${way}: ${mode}`, async () => {
      assert.equal(describe(await meet(mode, way)), expected);
    });
}

test("a server that does not complete the handshake is abandoned after the connect timeout", async () => {
  await using rig = await mcpConnectionRig();
  const target = { command: process.execPath, args: [...sourceFlags, program, "hang-initialize"], connect_timeout: 1 };
  const connection = await rig.connect(target);
  assert.deepEqual(!connection.ok && [connection.error.kind, connection.error.isSent], ["timeout", false]);
});

test("an unanswered call ends with its timeout or its signal, and the connection stays usable", async () => {
  await using rig = await mcpConnectionRig();
  const connection = await rig.connect({ command: process.execPath, args: [...sourceFlags, program, "hang-call"] });
  assert.ok(connection.ok);
  const late = await connection.value.call("echo", {}, limits(50));
  assert.equal(!late.ok && late.error.kind, "timeout");
  const abort = new AbortController();
  const stopped = connection.value.call("echo", {}, { signal: abort.signal, timeoutMs: 60_000 });
  abort.abort();
  const stoppedResult = await stopped;
  assert.equal(!stoppedResult.ok && stoppedResult.error.kind, "aborted");
  assert.ok((await connection.value.ping(limits())).ok);
});

test("a message of 100 MB ends the connection, and the fault says why", async () => {
  const { call } = await meet("huge-result", "stdio");
  assert.match(call?.ok === false ? call.error.message : "", /more than 64 MB/u);
});

test("a server program that ends immediately is reported with its exit code", async () => {
  const { call } = await meet("exit-at-start", "stdio");
  assert.match(call?.ok === false ? call.error.message : "", /exit code 4/u);
});

test("tools whose names cannot be shown or used are dropped, and the report contains no control characters", async () => {
  const { listing } = await meet("strange-names", "stdio");
  assert.ok(listing?.ok);
  const { tools, problems } = listing.value;
  assert.ok(tools.some(({ name }) => name === "plain"));
  for (const { name } of tools) assert.match(name, /^[\w.-]{1,200}$/u);
  assert.doesNotMatch(problems.join(""), /[\p{Cc}\p{Cf}]/u);
});

for (const [fault, expected] of [
  ["page", ["malformed", "transport", "server"]],
  ["forgetsSession", ["session"]],
  ["busy", ["transport", "server"]],
  ["zipped", ["malformed"]],
  ["cutOff", ["transport", "malformed"]],
] as const) {
  test(`hostile HTTP: ${fault}`, async () => {
    await using rig = await mcpConnectionRig();
    await using http = await startHostileHttp("well-behaved", httpFaults[fault]);
    const connection = await rig.connect({ url: http.url });
    assert.ok(connection.ok);
    const call = await connection.value.call("echo", { text: "hi" }, limits());
    assert.ok(
      !call.ok && (expected as readonly string[]).includes(call.error.kind),
      JSON.stringify(call).slice(0, 300),
    );
  });
}

test("an endless event over HTTP is cut off at the message limit", async () => {
  await using rig = await mcpConnectionRig();
  await using http = await startHostileHttp("well-behaved", httpFaults.endlessEvent);
  const connection = await rig.connect({ url: http.url });
  assert.ok(connection.ok);
  const call = await connection.value.call("echo", { text: "hi" }, limits(10_000));
  assert.equal(!call.ok && call.error.kind, "malformed");
});

for (const [fault, what] of [
  ["headOnly", "the head of an answer and nothing more"],
  ["endlessComments", "comments without end"],
] as const)
  test(`${what} over HTTP is a timeout`, async () => {
    await using rig = await mcpConnectionRig();
    await using http = await startHostileHttp("well-behaved", httpFaults[fault]);
    const connection = await rig.connect({ url: http.url });
    assert.ok(connection.ok);
    const call = await connection.value.call("echo", { text: "hi" }, limits(300));
    assert.equal(!call.ok && call.error.kind, "timeout");
  });

test("headers and messages are not sent to a redirect target at another origin", async () => {
  await using rig = await mcpConnectionRig();
  await using target = await startHostileHttp("well-behaved");
  await using http = await startHostileHttp("well-behaved", httpFaults.redirect(target.url));
  const connection = await rig.connect({ url: http.url, headers: { Authorization: "Bearer secret-of-one" } });
  assert.ok(!connection.ok);
  assert.deepEqual(
    target.requests.filter(({ headers, message }) => message !== undefined || headers.authorization !== undefined),
    [],
  );
});
