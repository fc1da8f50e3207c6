// covers: src/hosts/cli/commands/mcp, src/commands, src/operations/mcp, src/hosts/cli/chat
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, parsedObject } from "../../src/base/json.ts";
import { seenChat } from "../support/seen-chat.ts";
import { talking } from "../support/talking-program.ts";

const fixture = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "hostile.ts");
const server = { command: process.execPath, args: [fixture, "well-behaved"] };
const loose = { command: "npx", args: ["-y", "some-package"] };

async function withServers(servers: object) {
  const scene = await talking([]);
  const file = join(scene.env.HERMES_HOME, "config.yaml");
  const settings = parsedObject(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...settings, mcp_servers: servers }));
  const state = async (name: string) => {
    const { servers: all } = parsedObject((await scene.run(["mcp", "list", "--json"])).stdout);
    assert.ok(Array.isArray(all));
    const match: unknown = all.find((each: unknown) => isObject(each) && each["name"] === name);
    return isObject(match) ? match : undefined;
  };
  return { ...scene, state };
}

test("`hermes mcp` at a terminal can test, accept and remove servers", async () => {
  await using at = await withServers({ good: server, loose });
  assert.equal((await at.state("loose"))?.["state"], "asking");
  await using seen = at.terminal(["mcp"]);
  const choose = async (name: string, choice: string) => {
    await seen.until("Which server");
    seen.type(`${name}\r`);
    await seen.until("empty to go back?");
    seen.type(`${choice}\r`);
  };
  await choose("1", "t");
  await seen.until(/✓ good answers after/u);
  await choose("loose", "a");
  await seen.until(/fetches the newest some-package[^]*Accept\? \[y\/N\]/u);
  seen.type("y\r");
  await seen.until(/loose +not tried yet/u);
  await choose("2", "r");
  await seen.until("Remove loose? [y/N]");
  seen.type("y\r");
  await seen.until("Which server");
  seen.type("\r");
  assert.equal(await seen.code, 0, seen.said());
  assert.equal((await at.state("good"))?.["state"], "known");
  assert.equal(await at.state("loose"), undefined);
});

test("`add` and `import` at a terminal offer the sandbox for a known program", async () => {
  await using at = await withServers({});
  const folder = join(at.work, "node_modules", "@modelcontextprotocol", "server-memory");
  await mkdir(folder, { recursive: true });
  const program = join(folder, "index.ts");
  await writeFile(program, `import ${JSON.stringify(fixture)};\n`);
  const answer = async (args: readonly string[], answers: readonly (readonly [string, string])[]) => {
    await using seen = at.terminal(args);
    for (const [question, keys] of answers) {
      await seen.until(question);
      seen.type(keys);
    }
    assert.equal(await seen.code, 0, seen.said());
  };
  const add = ["mcp", "add", "--no-test", "open", "--", process.execPath, program, "well-behaved"];
  await answer(add, [["Run it in the sandbox? [Y/n]", "n\r"]]);
  assert.equal((await at.state("open"))?.["isUnconfined"], true);
  const boxed = { command: process.execPath, args: [program, "well-behaved"] };
  await writeFile(join(at.work, "mcp.json"), JSON.stringify({ mcpServers: { boxed } }));
  await answer(
    ["mcp", "import", "mcp.json"],
    [
      ["Import 1 server? [y/N]", "y\r"],
      ["Run boxed in the sandbox? [Y/n]", "\r"],
    ],
  );
  assert.equal((await at.state("boxed"))?.["isUnconfined"], false);
});

test("in a chat, /mcp shows servers and tools, and /reload-mcp asks before it reads the settings again", async () => {
  // The chat does not watch the settings: on a busy machine its own question would come between those of the command.
  const settings = { mcp_servers: { good: server }, mcp: { auto_reload_on_config_change: false } };
  await using chat = await seenChat([], { columns: 110, settings });
  await chat.until("MCP: good");
  chat.type("/mcp good\r");
  await chat.until(/good: \w+/u);
  const file = join(chat.home, "config.yaml");
  const written = parsedObject(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...written, mcp_servers: { good: server, other: server } }));
  chat.type("/reload-mcp\r");
  await chat.until(/settings again\?.*\[y\/N\]/u);
  chat.type("n\r");
  await chat.until("Nothing was changed.");
  chat.type("/reload-mcp\r");
  await chat.until(/Nothing was changed[^]*settings again\?.*\[y\/N\]/u);
  chat.type("y\r");
  await chat.until("MCP servers: added other.");
  chat.type("/mcp\r");
  assert.match(await chat.until("MCP servers (2):"), /good .*[^]*other /u);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
});
