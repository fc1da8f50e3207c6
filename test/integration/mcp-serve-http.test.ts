// covers: src/mcp/serve, src/runtime/mcp, src/base/http
import assert from "node:assert/strict";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import type { ServedClients } from "../../src/runtime/mcp/serve-clients.ts";
import { eventually } from "../support/eventually.ts";
import { servedRig } from "../support/served-rig.ts";

const token = "0123456789abcdef0123";

async function start(served: ServedClients) {
  const started = await served.http({ token, names: [] });
  if (!started.ok) throw new Error(started.error);
  const { port } = started.value;
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  return {
    port,
    async connect(name = "web", mode: "legacy" | "auto" = "legacy") {
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      });
      const client = new Client({ name, version: "1" }, { versionNegotiation: { mode } });
      await client.connect(transport);
      return { client, [Symbol.asyncDispose]: () => client.close() };
    },
    [Symbol.asyncDispose]: () => started.value[Symbol.asyncDispose](),
  };
}

/** A request with exactly these headers. */
function raw(port: number, headers: Readonly<Record<string, string>>, body = initialize, method = "POST") {
  return new Promise<{ readonly status: number | undefined; readonly text: string; readonly type: string | undefined }>(
    (resolve, reject) => {
      const sent = request(
        { port, host: "127.0.0.1", path: "/mcp", method, headers: { ...plain, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({
              status: response.statusCode,
              text: Buffer.concat(chunks).toString(),
              type: response.headers["content-type"],
            }),
          );
          response.on("error", reject);
        },
      );
      sent.on("error", reject);
      sent.end(method === "POST" ? body : undefined);
    },
  );
}
const plain = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const right = { authorization: `Bearer ${token}` };

test("a request without the right token gets only status 401", async () => {
  await using rig = await servedRig();
  await using server = await start(rig.serve());
  for (const headers of [
    {},
    { authorization: "Bearer wrong" },
    { authorization: `Basic ${token}` },
    { authorization: `Bearer ${token}x` },
    { authorization: `Bearer ${token.slice(0, -1)}` },
    { authorization: "Bearer" },
  ])
    for (const method of ["POST", "GET", "DELETE"]) {
      const answer = await raw(server.port, headers, initialize, method);
      assert.deepEqual(answer, { status: 401, text: "", type: undefined }, JSON.stringify(headers));
    }
});

test("requests from other sites are refused by Host and Origin, even with the token", async () => {
  await using rig = await servedRig();
  await using server = await start(rig.serve());
  const { port } = server;
  const local = `127.0.0.1:${port}`;
  for (const [headers, status] of [
    [{ host: "evil.example" }, 403],
    [{ host: `evil.example:${port}` }, 403],
    [{ host: "10.0.0.7" }, 403],
    [{ host: local, origin: "http://evil.example" }, 403],
    [{ host: local, origin: "null" }, 403],
    [{ host: local, origin: "http://localhost.evil.example" }, 403],
    [{ host: local, origin: `http://localhost:${port}` }, 200],
    [{ host: `localhost:${port}` }, 200],
  ] as const)
    assert.equal((await raw(port, { ...right, ...headers })).status, status, JSON.stringify(headers));
});

test("two clients at the same time have separate sessions and principals", async () => {
  await using rig = await servedRig();
  await writeFile(join(rig.cwd, "a.txt"), "hello\n");
  await using server = await start(rig.serve());
  await using one = await server.connect("one");
  await using other = await server.connect("other");
  const read = { name: "read_file", arguments: { path: "a.txt" } };
  const results = await Promise.all([one, other].flatMap(({ client }) => [client.callTool(read), client.listTools()]));
  assert.match(JSON.stringify(results), /hello/u);
  const folder = join(rig.cwd, "sub");
  await one.client.callTool({ name: "terminal", arguments: { command: `mkdir ${folder} && cd ${folder}` } });
  const where = async (client: Client) =>
    JSON.stringify(await client.callTool({ name: "terminal", arguments: { command: "pwd" } }));
  assert.match(await where(one.client), /work\/sub/u);
  assert.doesNotMatch(await where(other.client), /work\/sub/u);
});

test("a client that does not support protocol sessions is served too", async () => {
  await using rig = await servedRig();
  await writeFile(join(rig.cwd, "a.txt"), "hello\n");
  await using server = await start(rig.serve());
  await using one = await server.connect("new", "auto");
  assert.match(one.client.getNegotiatedProtocolVersion() ?? "", /^2026/u);
  const read = await one.client.callTool({ name: "read_file", arguments: { path: "a.txt" } });
  assert.match(JSON.stringify(read), /hello/u);
});

test("a client over HTTP learns of new prompts and resources, with and without protocol sessions", async () => {
  await using rig = await servedRig();
  await using server = await start(rig.serve());
  await using old = await server.connect("old");
  await using recent = await server.connect("recent", "auto");
  const news: string[] = [];
  for (const [name, { client }] of Object.entries({ old, recent })) {
    for (const list of ["prompts", "resources"] as const)
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => void news.push(`${name} ${list}`));
    await client.listPrompts();
    await client.listResources();
  }
  await recent.client.listen({ promptsListChanged: true, resourcesListChanged: true });
  const folder = join(rig.home, "skills", "tidy-up");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "SKILL.md"), "---\nname: tidy-up\ndescription: Tidies\n---\nSort.\n");
  await eventually(() => news.length === 4);
  assert.deepEqual(news.toSorted(), ["old prompts", "old resources", "recent prompts", "recent resources"]);
});

test("an ended or invented session, and a body without a message, are protocol errors", async () => {
  await using rig = await servedRig();
  await using server = await start(rig.serve());
  const invented = await raw(server.port, { ...right, "mcp-session-id": "x" });
  assert.equal(invented.status, 404);
  assert.equal((await raw(server.port, right, "{")).status, 400);
  assert.equal(
    (await raw(server.port, right, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }))).status,
    400,
  );
});

test("the token of the home is created once, and only the owner can read it", async () => {
  await using rig = await servedRig();
  const served = rig.serve();
  const [first, second] = [await served.token(), await served.token()];
  assert.ok(first.ok && second.ok && first.value.file !== undefined);
  assert.deepEqual([first.value.isNew, second.value.isNew], [true, false]);
  assert.equal(first.value.token, second.value.token);
  assert.equal((await stat(first.value.file)).mode & 0o777, 0o600);
});
