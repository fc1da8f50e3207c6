// covers: src/mcp/client, src/runtime/mcp, src/base/http, src/base/process, src/environments/local
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { valueOr } from "../../src/base/result.ts";
import type { McpConnection } from "../../src/contracts/mcp/connection.ts";
import { eventually } from "../support/eventually.ts";
import { type McpConnectionRig, mcpConnectionRig } from "../support/mcp-connection.ts";

const limits = { signal: new AbortController().signal, timeoutMs: 60_000 };

/** Responds over standard streams; `atCall` is the body of a function that maps the arguments to a text. */
const program = (atCall: string) => `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const { id, method, params } of lines.map((line) => JSON.parse(line))) {
    if (id === undefined) continue;
    const call = (args) => { ${atCall} };
    const results = {
      initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }),
      "tools/list": () => ({ tools: [] }),
      "tools/call": () => ({ content: [{ type: "text", text: String(call(params.arguments)) }] }),
    };
    const answer = results[method] ? { result: results[method]() } : { error: { code: -32601, message: "no" } };
    process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
  }
});`;

/**
 * Leaves processes behind in every way that a daemon uses, the last ones with an empty environment. Each writes its
 * pid.
 */
const escapes = program(`
  const keep = 'echo $$ > "$1"; exec sleep 600';
  const ways = [["sh", "-c"], ["setsid", "sh", "-c"], ["setsid", "env", "-i", "PATH=/usr/bin:/bin", "sh", "-c"]];
  ways.forEach((way, index) => {
    const script = '(' + way.slice(0, -1).join(" ") + ' -c "$0" sh "$1" </dev/null >/dev/null 2>&1 &)';
    spawn("sh", ["-c", script, keep, args.folder + "/pid" + index], { stdio: "ignore", detached: true }).unref();
  });
  return "";`);

function write(rig: McpConnectionRig, name: string, text: string): string {
  const file = join(rig.work, name);
  writeFileSync(file, text);
  return file;
}

async function connected(rig: McpConnectionRig, settings: object): Promise<McpConnection> {
  const connection = await rig.connect(settings);
  assert.ok(connection.ok, JSON.stringify(connection));
  return connection.value;
}

const stdio = (file: string, more: object = {}) => ({ command: process.execPath, args: [file], ...more });

async function escaped(folder: string): Promise<readonly number[]> {
  const files = [0, 1, 2].map((index) => join(folder, `pid${index}`));
  const pids = () => files.map((file) => (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0));
  await eventually(() => pids().every((pid) => pid > 0));
  return pids();
}

/** A killed process whose new parent has not noticed is still in the list. */
const isAlive = (pid: number) => valueOr(() => !/\) [ZX] /u.test(readFileSync(`/proc/${pid}/stat`, "utf8")), false);

test("an MCP server program gets few variables, plus those that its settings name", async () => {
  await using rig = await mcpConnectionRig();
  const file = write(rig, "server.mjs", program("return Object.keys(process.env).sort().join()"));
  const connection = await connected(rig, stdio(file, { env: { NAMED: "1" } }));
  const result = await connection.call("env", {}, limits);
  const [part] = result.ok ? result.value.content : [];
  const names = part?.type === "text" ? part.text.split(",") : [];
  // The shell that starts it sets some.
  assert.deepEqual(
    names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name)),
    ["HERMES_RUN", "HOME", "NAMED", "PATH"],
  );
});

test("closing a connection ends processes that left their group and cleared their environment", async (t) => {
  if (process.platform !== "linux") return t.skip("needs /proc");
  await using rig = await mcpConnectionRig();
  const connection = await connected(rig, stdio(write(rig, "server.mjs", escapes)));
  await connection.call("escape", { folder: rig.work }, limits);
  const pids = await escaped(rig.work);
  await connection[Symbol.asyncDispose]();
  assert.deepEqual(pids.filter(isAlive), []);
});

test("after kill -9 of the runtime no process of a server is left", async (t) => {
  if (process.platform !== "linux") return t.skip("needs /proc");
  await using rig = await mcpConnectionRig();
  const server = write(rig, "server.mjs", escapes);
  const support = pathToFileURL(join(import.meta.dirname, "..", "support", "mcp-connection.ts"));
  const runtime = write(
    rig,
    "runtime.mts",
    `const { mcpConnectionRig } = await import(${JSON.stringify(support)});
    const rig = await mcpConnectionRig();
    const connection = await rig.connect(${JSON.stringify(stdio(server))});
    await connection.value.call("escape", { folder: ${JSON.stringify(rig.work)} }, { signal: new AbortController().signal, timeoutMs: 60_000 });`,
  );
  const child = spawn(process.execPath, [runtime], { stdio: "ignore" });
  const pids = await escaped(rig.work);
  child.kill("SIGKILL");
  await once(child, "exit");
  await eventually(() => !pids.some(isAlive));
});

test("an MCP server with permissions sees only what they allow, or does not start", async () => {
  await using rig = await mcpConnectionRig();
  const file = write(rig, "server.mjs", program('writeFileSync(args.path, "x"); return "written"'));
  const started = await rig.connect(stdio(file, { permissions: { read: ["$WORKSPACE"] } }));
  if (!started.ok) return assert.match(started.error.message, /sandbox/u);
  await started.value.call("write", { path: join(rig.work, "new") }, limits);
  assert.equal(existsSync(join(rig.work, "new")), false);
  const wrong = await rig.connect(stdio(file, { permissions: { reed: [] } }));
  assert.match(wrong.ok ? "" : wrong.error.message, /reed is not a permission/u);
});

type Answer = (message: { id?: number; method: string }, request: IncomingMessage, response: ServerResponse) => boolean;

/** An HTTP MCP server. `answer` handles the requests for which it returns true. */
async function httpServer(answer: Answer) {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const message = JSON.parse(body === "" ? '{"method":""}' : body);
      if (answer(message, request, response)) return;
      if (request.method !== "POST") return response.writeHead(405).end();
      if (message.id === undefined) return response.writeHead(202).end();
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "x", version: "1" },
      };
      const reply = message.method === "initialize" ? { result } : { error: { code: -32601, message: "no" } };
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "one" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...reply }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

test("an MCP call whose stream ends without an answer fails immediately", async () => {
  await using server = await httpServer(({ method }, _request, response) => {
    if (method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(": nothing\n\n");
    return true;
  });
  await using rig = await mcpConnectionRig();
  const result = await (await connected(rig, { url: server.url })).call("x", {}, limits);
  assert.equal(result.ok ? "" : result.error.kind, "transport");
});

test("cancelling a call notifies the server and closes the request", async () => {
  const seen: string[] = [];
  await using server = await httpServer(({ method }, request) => {
    if (method === "notifications/cancelled") seen.push(method);
    if (method !== "tools/call") return false;
    request.socket.once("close", () => seen.push("closed"));
    seen.push(method);
    return true;
  });
  await using rig = await mcpConnectionRig();
  const connection = await connected(rig, { url: server.url });
  const stop = new AbortController();
  const call = connection.call("x", {}, { ...limits, signal: stop.signal });
  await eventually(() => seen.includes("tools/call"));
  stop.abort();
  assert.equal((await call).ok, false);
  await eventually(() => seen.includes("closed"));
  assert.deepEqual(seen, ["tools/call", "notifications/cancelled", "closed"]);
});

test("the connection ends if the MCP server no longer recognizes the session", async () => {
  await using server = await httpServer(({ method }, _request, response) => {
    if (method === "tools/call") response.writeHead(404).end("Session not found");
    return method === "tools/call";
  });
  await using rig = await mcpConnectionRig();
  const connection = await connected(rig, { url: server.url });
  const result = await connection.call("x", {}, limits);
  assert.equal(result.ok ? "" : result.error.kind, "session");
  assert.deepEqual(
    [await connection.closed, connection.isOpen],
    [{ reason: "the server no longer has the session" }, false],
  );
});

test("a redirect to another origin gets neither headers nor the request", async () => {
  let reached = 0;
  await using other = await httpServer(() => {
    reached++;
    return false;
  });
  await using server = await httpServer((_message, _request, response) => {
    response.writeHead(307, { location: other.url }).end();
    return true;
  });
  await using rig = await mcpConnectionRig();
  const connection = await rig.connect({ url: server.url, headers: { "x-key": "secret" } });
  assert.match(connection.ok ? "" : connection.error.message, /Redirect to .* not followed/u);
  assert.equal(reached, 0);
});

test("an address that is not an MCP server is reported as such", async () => {
  await using server = await httpServer((_message, _request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    return true;
  });
  await using rig = await mcpConnectionRig();
  const connection = await rig.connect({ url: server.url });
  assert.match(connection.ok ? "" : connection.error.message, /does not answer as an MCP server/u);
});

test("the headers and the identity header of the settings are sent with every request", async () => {
  const seen: (readonly unknown[])[] = [];
  await using server = await httpServer((_message, { headers }) => {
    seen.push([headers.authorization, headers["x-agent"]]);
    return false;
  });
  await using rig = await mcpConnectionRig();
  const settings = { url: server.url, headers: { Authorization: "Bearer abc" }, identity_header: "X-Agent: ada" };
  const connection = await connected(rig, settings);
  await connection.call("x", {}, limits);
  assert.ok(seen.length > 2);
  assert.deepEqual([...new Set(seen.map((each) => each.join()))], ["Bearer abc,ada"]);
});

test("the setting `protocol` decides how a connection begins", async () => {
  await using rig = await mcpConnectionRig();
  const begins = async (protocol: string) => {
    const file = write(rig, `${protocol}.mjs`, program("return 1").replace("if (id === undefined)", noted));
    const connection = await rig.connect(stdio(file, { protocol, env: { METHODS: join(rig.work, protocol) } }));
    if (connection.ok) await connection.value[Symbol.asyncDispose]();
    const [first] = readFileSync(join(rig.work, protocol), "utf8").split("\n");
    return { first, isOpen: connection.ok };
  };
  assert.deepEqual(await begins("legacy"), { first: "initialize", isOpen: true });
  assert.deepEqual(await begins("auto"), { first: "server/discover", isOpen: true });
  // The server of this test has sessions only.
  assert.deepEqual(await begins("stateless"), { first: "server/discover", isOpen: false });
});

/** Records the method of each message. */
const noted = `writeFileSync(process.env.METHODS, method + "\\n", { flag: "a" });
    if (id === undefined)`;
