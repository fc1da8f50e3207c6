// covers: src/runtime/mcp, src/runtime/environment, src/plugins/proxy, src/bin, src/base/process
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";

import { mcpConnectionRig } from "../support/mcp-connection.ts";

const limits = { signal: new AbortController().signal, timeoutMs: 60_000 };

/** Servers with one tool that fetches a URL, or reports how it runs. */
const programs = {
  node: {
    command: process.execPath,
    file: "server.mjs",
    code: `
import { spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
const facts = () => JSON.stringify({
  pid: process.pid, arg: process.argv[2], named: process.env.NAMED, options: process.env.NODE_OPTIONS, hasMessages: process.connected === true,
  fork: String(spawnSync("/bin/true").error?.code),
});
const get = async (url) => { try { const answer = await fetch(url); return answer.status + " " + (await answer.text()); } catch (error) { return error + ": " + error.cause?.message; } };
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "x", version: "1" } }),
  "tools/list": () => ({ tools: [] }),
  "tools/call": async ({ arguments: { url } }) => {
    if (url === "exit") process.exit(7);
    return { content: [{ type: "text", text: url === "facts" ? facts() : await get(url) }] };
  },
};
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method] ? { result: await answers[method](params) } : { error: { code: -32601, message: "no" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n");
});`,
  },
  python: {
    command: "/usr/bin/python3",
    file: "server.py",
    code: `
import json, os, sys, urllib.error, urllib.request
def get(url):
    try: return urllib.request.urlopen(url, timeout=20).read().decode()
    except Exception as error: return str(error) + (error.read().decode() if isinstance(error, urllib.error.HTTPError) else "")
def facts():
    try: os.fork(); fork = "forked"
    except OSError as error: fork = "EPERM" if error.errno == 1 else str(error)
    def is_open(fd):
        try: os.fstat(fd); return True
        except OSError: return False
    return json.dumps({"pid": os.getpid(), "arg": sys.argv[1], "named": os.environ.get("NAMED"), "options": os.environ.get("NODE_OPTIONS"), "hasMessages": is_open(13), "fork": fork})
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message: continue
    method, params = message["method"], message.get("params")
    if method == "initialize": answer = {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}}
    elif method == "tools/list": answer = {"result": {"tools": []}}
    elif method == "tools/call":
        url = params["arguments"]["url"]
        if url == "exit": sys.exit(7)
        answer = {"result": {"content": [{"type": "text", "text": facts() if url == "facts" else get(url)}]}}
    else: answer = {"error": {"code": -32601, "message": "no"}}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)`,
  },
};

for (const [language, { command, file, code }] of Object.entries(programs))
  test(`${language}: a confined server reaches only the hosts in its permission`, async () => {
    const requests: string[] = [];
    const web = createServer((request, response) => {
      requests.push(`${request.headers.host} ${request.url}`);
      response.end("hello");
    }).listen(0, "127.0.0.1");
    await once(web, "listening");
    const address = web.address();
    const port = typeof address === "object" && address ? address.port : 0;
    try {
      await using rig = await mcpConnectionRig();
      const path = join(rig.work, file);
      writeFileSync(path, code);
      const permissions = { read: ["$WORKSPACE"], net: [`127.0.0.1:${port}`] };
      const env = { NAMED: "1", NODE_OPTIONS: "--no-deprecation" };
      const settings = { command, args: [path, "an argument"], env, permissions };
      const connect = async () => {
        const connected = await rig.connect(settings);
        assert.ok(connected.ok, JSON.stringify(connected));
        return connected.value;
      };
      const connection = await connect();
      const ask = async (url: string, on = connection) => {
        const result = await on.call("get", { url }, limits);
        const [part] = result.ok ? result.value.content : [];
        return part?.type === "text" ? part.text : JSON.stringify(result);
      };
      assert.match(await ask(`http://127.0.0.1:${port}/fine`), /hello/u);
      assert.match(await ask(`http://127.0.0.1:${port}/again`), /hello/u);
      for (const url of [`http://127.0.0.2:${port}/`, "https://foreign.example.com/", "https://foreign.example.com/x"])
        assert.match(await ask(url), /403|refused|Forbidden|fetch failed|Tunnel/iu, url);
      assert.deepEqual(requests, [`127.0.0.1:${port} /fine`, `127.0.0.1:${port} /again`]);
      // The first program of the sandbox is the server: nothing is between, and it still cannot start others.
      assert.deepEqual(JSON.parse(await ask("facts")), {
        pid: 1,
        arg: "an argument",
        named: "1",
        options: "--no-deprecation",
        hasMessages: false,
        fork: "EPERM",
      });
      assert.match(await ask("exit"), /exit code 7/u);
      const again = await connect();
      await ask("https://foreign.example.com/", again);
      const allow = `hermes mcp configure tested --allow 'read:$WORKSPACE' --allow net:127.0.0.1:${port} --allow net:`;
      const refused = (host: string) =>
        `MCP server tested tried to connect to ${host} and was refused. To allow it: ${allow}${host}`;
      assert.deepEqual(rig.reports, [refused(`127.0.0.2:${port}`), refused("foreign.example.com")]);
    } finally {
      web.closeAllConnections();
      web.close();
    }
  });
