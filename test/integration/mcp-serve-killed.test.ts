// covers: src/mcp/serve, src/runtime/mcp, src/hosts/cli/commands/mcp
// Clients of the built `hermes mcp serve` that are killed in the middle of a call.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

import { eventually } from "../support/eventually.ts";
import { commandLines, processesWith, uniqueSeconds } from "../support/process-list.ts";
import { program, talking } from "../support/talking-program.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const token = "0123456789abcdef0123";

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "killed", version: "1" } },
};
const sleepCall = (seconds: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "terminal", arguments: { command: `sleep ${seconds}` } },
});
/** Whether the command runs. The client's own command line contains it too. */
const sleeps = (seconds: string) => commandLines().some((line) => line.startsWith(`sleep ${seconds}`));
const killed = async (child: ChildProcess): Promise<void> => {
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
};

test("after kill -9 of its client, a server over stdio and the command of the call are gone", { skip }, async () => {
  await using at = await talking([]);
  const seconds = uniqueSeconds();
  const home = at.env.HERMES_HOME;
  const lines = [initialize, { jsonrpc: "2.0", method: "notifications/initialized" }, sleepCall(seconds)];
  const script = `
    const { spawn } = require("node:child_process");
    const server = spawn(process.execPath, [${JSON.stringify(program)}, "mcp", "serve", "--cwd", ${JSON.stringify(home)}], { stdio: ["pipe", "pipe", "ignore"] });
    for (const line of ${JSON.stringify(lines)}) server.stdin.write(JSON.stringify(line) + "\\n");
    server.stdout.resume();
  `;
  const client = spawn(process.execPath, ["-e", script], { cwd: at.work, env: at.env, stdio: "ignore" });
  await eventually(() => sleeps(seconds));
  assert.ok(processesWith(`--cwd ${home}`).length > 0);
  await killed(client);
  await eventually(() => !sleeps(seconds), "the command still runs");
  await eventually(() => processesWith(`--cwd ${home}`).length === 0, "the server still runs");
});

test(
  "kill -9 of one HTTP client in a call does not disturb the other, and the end of the server ends the command",
  { skip },
  async () => {
    await using at = await talking([]);
    const server = spawn(process.execPath, [program, "mcp", "serve", "--http"], {
      cwd: at.work,
      env: { ...at.env, HERMES_MCP_TOKEN: token },
      stdio: ["ignore", "ignore", "pipe"],
    });
    await using _ended = { [Symbol.asyncDispose]: async () => void server.kill("SIGKILL") };
    let output = "";
    server.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    await eventually(() => /listening on \S+\/mcp/u.test(output), output);
    const url = /listening on (\S+\/mcp)/u.exec(output)?.[1] ?? "";
    const seconds = uniqueSeconds();
    const script = `
    const headers = { authorization: "Bearer ${token}", "content-type": "application/json", accept: "application/json, text/event-stream" };
    const post = (message, more) => fetch("${url}", { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(message) });
    const opened = await post(${JSON.stringify(initialize)}, {});
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") };
    await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session);
    await (await post(${JSON.stringify(sleepCall(seconds))}, session)).text();
  `;
    const client = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: at.work, env: at.env });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const other = new Client({ name: "other", version: "1" });
    await other.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    const echo = async () =>
      JSON.stringify(await other.callTool({ name: "terminal", arguments: { command: "echo hello" } }));
    await eventually(() => sleeps(seconds));
    assert.match(await echo(), /hello/u);
    const during = echo();
    await killed(client);
    assert.match(await during, /hello/u);
    assert.match(await echo(), /hello/u);
    const again = new Client({ name: "killed", version: "1" });
    await again.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    assert.ok((await again.listTools()).tools.length > 0, "a client with the name of the killed one");
    await Promise.all([other.close(), again.close()]);
    const exited = once(server, "exit");
    server.kill("SIGTERM");
    await exited;
    await eventually(() => !sleeps(seconds), "the command still runs");
  },
);
