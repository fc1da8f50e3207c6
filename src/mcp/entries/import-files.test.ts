import assert from "node:assert/strict";
import { test } from "node:test";

import { err, ok } from "../../base/result.ts";
import { catalog, knownProgram } from "./catalog.ts";
import { importFiles, readImportFile } from "./import-files.ts";
import { readMcpEntries } from "./read-entries.ts";
import { readToml } from "./read-toml.ts";

const places = { userFolder: "/home/ada", profile: "default" };

test("the MCP settings file of each other program is looked up in its default location", async () => {
  const paths = (platform: NodeJS.Platform) =>
    importFiles({ userFolder: "/home/ada", workspace: "/w", platform }).map(({ path }) => path);
  assert.ok(paths("linux").includes("/home/ada/.config/Claude/claude_desktop_config.json"));
  assert.ok(paths("darwin").includes("/home/ada/Library/Application Support/Code/User/mcp.json"));
  assert.ok(paths("linux").includes("/home/ada/.codex/config.toml"));
  assert.ok(paths("linux").includes("/w/.mcp.json"));
});

test("the import from Claude Code reads the servers of the user and of this project only", async () => {
  const text = JSON.stringify({
    mcpServers: { files: { type: "stdio", command: "npx", args: ["-y", "x@1.0.0"], env: {} } },
    projects: {
      "/w": { mcpServers: { web: { type: "sse", url: "https://h/sse", headers: { A: "b" } } } },
      "/other": { mcpServers: { no: { command: "no" } } },
    },
  });
  assert.deepEqual(
    await readImportFile("/home/ada/.claude.json", text, "/w"),
    ok([
      { name: "files", settings: { command: "npx", args: ["-y", "x@1.0.0"] }, notes: [] },
      { name: "web", settings: { url: "https://h/sse", headers: { A: "b" }, transport: "sse" }, notes: [] },
    ]),
  );
});

test("the import from VS Code handles comments, inputs and the workspace folder", async () => {
  const text = `{
    // servers of the team
    "inputs": [{ "id": "api-key", "type": "promptString" }],
    "servers": {
      "my server": { "command": "node", "args": ["\${workspaceFolder}/s.js", "// no comment"], "env": { "KEY": "\${input:api-key}" }, "dev": {} },
    }
  }`;
  assert.deepEqual(
    await readImportFile("/w/.vscode/mcp.json", text, "/w"),
    ok([
      {
        name: "my-server",
        settings: { command: "node", args: ["/w/s.js", "// no comment"], env: { KEY: "${API_KEY}" } },
        notes: [
          "dev was skipped: Hermes has no setting for it.",
          "The file asks for the value API_KEY. Set it with: hermes config set API_KEY VALUE",
        ],
      },
    ]),
  );
});

test("the import from Codex handles TOML tables with tokens from the environment, seconds and a folder", async () => {
  const text = `model = "x"
[mcp_servers.docs]
url = "https://h/mcp" # remote
bearer_token_env_var = "DOCS_TOKEN"
tool_timeout_sec = 30
enabled_tools = [
  "search",  # one
  'fetch',
]
[mcp_servers.local]
command = "node"
args = ["a\\tb.js"]
cwd = "/srv"
enabled = false
[mcp_servers.local.env]
"A.B" = "1"
`;
  assert.deepEqual(
    await readImportFile("/c/config.toml", text, "/w"),
    ok([
      {
        name: "docs",
        settings: {
          url: "https://h/mcp",
          headers: { Authorization: "Bearer ${DOCS_TOKEN}" },
          timeout: 30,
          tools: { include: ["search", "fetch"] },
        },
        notes: [],
      },
      {
        name: "local",
        settings: {
          command: "sh",
          args: ["-c", 'cd "$1" && shift && exec "$@"', "sh", "/srv", "node", "a\tb.js"],
          env: { "A.B": "1" },
          enabled: false,
        },
        notes: ["The program runs in /srv, so Hermes starts it through a shell."],
      },
    ]),
  );
});

test("importing an unreadable file returns the reason, and a server without keys has no settings", async () => {
  assert.deepEqual(await readImportFile("/x.json", "[]", "/w"), err("the file does not contain keys and values"));
  assert.equal((await readImportFile("/x.json", "{", "/w")).ok, false);
  const nothing = ["a", "b"].map((name) => ({ name, settings: {}, notes: [] }));
  const text = '{"mcpServers": {"a": 3, "b": null}, "servers": []}';
  assert.deepEqual(await readImportFile("/x.json", text, "/w"), ok(nothing));
  assert.deepEqual(await readImportFile("/x.json", '{"servers": []}', "/w"), ok([]));
});

test("the import keeps servers off, and reports unknown types and lost defaults", async () => {
  const text = JSON.stringify({
    mcpServers: {
      off: { command: "node", disabled: "true" },
      also: { url: "https://h/x", type: "carrier-pigeon", enabled: "false" },
      first: { command: "node", env: { A: "${KEY:-a b}", B: "${KEY:-a b}" } },
    },
  });
  const note = "The default of KEY was left out. To set it: hermes config set KEY 'a b'";
  const type = 'Its type "carrier-pigeon" is unknown, so Hermes uses the default for its address or command.';
  assert.deepEqual(
    await readImportFile("/x.json", text, "/w"),
    ok([
      { name: "off", settings: { command: "node", args: [], enabled: false }, notes: [] },
      { name: "also", settings: { url: "https://h/x", enabled: false }, notes: [type] },
      { name: "first", settings: { command: "node", args: [], env: { A: "${KEY}", B: "${KEY}" } }, notes: [note] },
    ]),
  );
});

test("the import from Codex handles variables for headers and for the program", async () => {
  const text = `[mcp_servers.a]
url = "https://h/mcp"
env_http_headers = { "X-Key" = "A_KEY" }
[mcp_servers.b]
command = "node"
env_vars = ["B_KEY", 3]
`;
  assert.deepEqual(
    await readImportFile("/c/config.toml", text, "/w"),
    ok([
      { name: "a", settings: { url: "https://h/mcp", headers: { "X-Key": "${A_KEY}" } }, notes: [] },
      { name: "b", settings: { command: "node", args: [], env: { B_KEY: "${B_KEY}" } }, notes: [] },
    ]),
  );
});

const tomlFaults = ["a =", "a = [1", 'a = "x', "[a", "a = 1 b = 2", "a = 1\na = 2", "a = 1\n[a.b]", 'a = "\\q"', "= 1"];
for (const text of tomlFaults) {
  test(`TOML with a mistake is refused with its line: ${JSON.stringify(text)}`, async () => {
    const read = await readToml(text);
    assert.match(read.ok ? "" : read.error, /^line \d+: /u);
  });
}

test("the TOML reader handles dotted keys, inline tables, lists of tables, long strings, escapes and numbers", async () => {
  const read = await readToml(
    'a.b = 1_000\nc = {d = [true, {e = 2.5}], "f g" = \'\\n\'}\n[[x]]\ny = """\nl1\nl2\\u00e9"""\n[[x]]\n__proto__ = 2024-01-01\n',
  );
  assert.equal(
    JSON.stringify(read.ok && read.value),
    '{"a":{"b":1000},"c":{"d":[true,{"e":2.5}],"f g":"\\\\n"},"x":[{"y":"l1\\nl2é"},{"__proto__":"2024-01-01"}]}',
  );
});

test("every server of the catalog has valid settings, and its packages are pinned", async () => {
  const { entries, problems } = readMcpEntries(
    Object.fromEntries(catalog.map(({ name, settings }) => [name, settings])),
    places,
  );
  assert.deepEqual(problems, []);
  assert.equal(entries.length, catalog.length);
  for (const { target } of entries) {
    if (target.kind !== "stdio") continue;
    assert.match(target.args[1] ?? "", /@\d+\.\d+\.\d+$/u);
    assert.ok(knownProgram(target.command, target.args));
  }
  assert.equal(knownProgram("uvx", ["@modelcontextprotocol/server-memory-x"]), undefined);
  assert.equal(knownProgram("npx", ["@modelcontextprotocol/server-memory"])?.name, "memory");
});
