// covers: src/mcp/client, src/runtime/mcp
// The servers that the makers of the protocol publish, over every transport.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import type { McpConnection } from "../../src/contracts/mcp/connection.ts";
import type { ContentPart } from "../../src/contracts/model/message.ts";
import { eventually } from "../support/eventually.ts";
import { mcpConnectionRig } from "../support/mcp-connection.ts";
import { npmPrograms } from "../support/npm-programs.ts";

const { folder, skip } = await npmPrograms("mcp");
const serverFile = (name: string) => join(folder, "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
const stdio = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [serverFile(name), ...args],
});
const limits = () => ({ signal: new AbortController().signal, timeoutMs: 60_000 });

async function opened(connecting: ReturnType<Awaited<ReturnType<typeof mcpConnectionRig>>["connect"]>) {
  const connection = await connecting;
  if (!connection.ok) throw new Error(connection.error.message);
  return connection.value;
}

async function called(connection: McpConnection, tool: string, args: Parameters<McpConnection["call"]>[1]) {
  const result = await connection.call(tool, args, limits());
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const textsOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");

/** Everything that the reference server can do, over one connection. */
async function useEverything(connection: McpConnection): Promise<void> {
  const listing = await connection.list(limits());
  assert.ok(listing.ok);
  assert.deepEqual(listing.value.problems, []);
  const names = listing.value.tools.map(({ name }) => name);
  for (const name of ["echo", "get-sum", "get-tiny-image", "get-structured-content"])
    assert.ok(names.includes(name), names.join(", "));
  assert.match(textsOf((await called(connection, "echo", { message: "hello" })).content), /hello/u);
  assert.match(textsOf((await called(connection, "get-sum", { a: 2, b: 3 })).content), /5/u);
  const image = await called(connection, "get-tiny-image", {});
  assert.ok(image.content.some((part) => part.type === "image" && part.mimeType === "image/png"));
  const weather = await called(connection, "get-structured-content", { location: "New York" });
  assert.equal(typeof weather.structured, "object");
  const wrong = await connection.call("get-sum", { a: "two", b: 3 }, limits());
  assert.ok(!wrong.ok || wrong.value.isError, "invalid arguments are an error");

  const notes: string[] = [];
  const long = await connection.call(
    "trigger-long-running-operation",
    { duration: 1, steps: 3 },
    { ...limits(), onProgress: (note) => void notes.push(note) },
  );
  assert.ok(long.ok);
  assert.ok(notes.length > 0, "progress arrives");

  const resources = await connection.listResources(limits());
  assert.ok(resources.ok && resources.value.length > 0);
  const resource = resources.value.find(({ isTemplate }) => !isTemplate);
  const content = await connection.readResource(resource?.uri ?? "", limits());
  assert.ok(content.ok && content.value.length > 0);
  const prompt = await connection.getPrompt("simple-prompt", {}, limits());
  assert.ok(prompt.ok && textsOf(prompt.value).length > 0);
  const request = { of: { prompt: "completable-prompt" }, argument: "department", value: "E" };
  const completions = await connection.complete(request, limits());
  assert.deepEqual(completions, { ok: true, value: ["Engineering"] });
  assert.ok((await connection.ping(limits())).ok);
}

test("server-everything works over stdio", { skip }, async () => {
  await using rig = await mcpConnectionRig();
  await useEverything(await opened(rig.connect(stdio("everything", "stdio"))));
});

for (const [way, transport, path] of [
  ["streamableHttp", "http", "/mcp"],
  ["sse", "sse", "/sse"],
] as const)
  test(`server-everything over ${way}`, { skip }, async () => {
    await using rig = await mcpConnectionRig();
    await using server = await startEverything(way);
    await useEverything(await opened(rig.connect({ url: `http://127.0.0.1:${server.port}${path}`, transport })));
  });

test("server-filesystem reads and writes only in the workspace", { skip }, async () => {
  await using rig = await mcpConnectionRig();
  await writeFile(join(rig.work, "a.txt"), "first\n");
  const connection = await opened(rig.connect(stdio("filesystem", rig.work)));
  const read = await called(connection, "read_text_file", { path: join(rig.work, "a.txt") });
  assert.match(textsOf(read.content), /first/u);
  await called(connection, "write_file", { path: join(rig.work, "b.txt"), content: "second\n" });
  assert.equal(await readFile(join(rig.work, "b.txt"), "utf8"), "second\n");
  assert.equal((await called(connection, "read_text_file", { path: "/etc/hostname" })).isError, true);
});

test("server-memory stores entities, and its structured results match their schemas", { skip }, async () => {
  await using rig = await mcpConnectionRig();
  const env = { MEMORY_FILE_PATH: join(rig.work, "memory.jsonl") };
  const connection = await opened(rig.connect({ ...stdio("memory"), env }));
  await connection.list(limits());
  const entities = [{ name: "Ada", entityType: "person", observations: ["writes programs"] }];
  await called(connection, "create_entities", { entities });
  const graph = await called(connection, "read_graph", {});
  assert.match(textsOf(graph.content), /Ada/u);
  assert.deepEqual(graph.structured, { entities, relations: [] });
});

test("server-sequential-thinking answers calls that run at the same time", { skip }, async () => {
  await using rig = await mcpConnectionRig();
  const connection = await opened(rig.connect(stdio("sequential-thinking")));
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      called(connection, "sequentialthinking", {
        thought: `step ${index}`,
        nextThoughtNeeded: true,
        thoughtNumber: index + 1,
        totalThoughts: 20,
      }),
    ),
  );
  const numbers = results.map(({ content }) => JSON.parse(textsOf(content)).thoughtNumber);
  assert.deepEqual(
    numbers,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

async function startEverything(way: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const port = await freePort();
  const child = spawn(process.execPath, [serverFile("everything"), way], {
    env: { ...process.env, PORT: `${port}` },
    stdio: "ignore",
  });
  const exited = once(child, "exit");
  await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    return answer !== undefined;
  }, "the server never listens");
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** The server takes its port from the environment and does not report a port that it chose. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}
