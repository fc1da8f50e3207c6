import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { isObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import { runProgram } from "./run-program.ts";
import { tempHome } from "./temp-home.ts";
import { startModelServer } from "./wire-servers/model-server.ts";
import type { RecordedRequest, ScriptedTurn } from "./wire-servers/turn.ts";

/** A server over standard streams, as in a client's settings. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface ClientCall {
  readonly name: string;
  readonly args: JsonObject;
}

/** Connects to the server, makes the calls in order, and returns the text of each result. */
export type PlayClient = (server: ServerProgram, calls: readonly ClientCall[]) => Promise<readonly string[]>;

/** A client that uses the MCP library. */
export const playOfficialClient: PlayClient = async (server, calls) => {
  const client = new Client({ name: "official-client", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...server, args: [...server.args], env: { ...server.env } }));
  try {
    const texts: string[] = [];
    for (const { name, args } of calls) {
      const { content } = await client.callTool({ name, arguments: args });
      texts.push(content.map((part) => (part.type === "text" ? part.text : part.type)).join("\n"));
    }
    return texts;
  } finally {
    await client.close();
  }
};

/** The command-line inspector. Each call is a separate run, and so a separate session. */
export const playInspector =
  (modules: string): PlayClient =>
  async (server, calls) => {
    const cli = join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js");
    const env = Object.entries(server.env).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const texts: string[] = [];
    for (const { name, args } of calls) {
      const given = Object.entries(args).flatMap(([key, value]) => [
        "--tool-arg",
        `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      ]);
      const ran = await runProgram(
        process.execPath,
        [cli, "--cli", ...env, server.command, ...server.args, "--method", "tools/call", "--tool-name", name, ...given],
        { cwd: server.cwd, env: { HOME: server.env["HOME"] } },
      );
      const start = ran.stdout.indexOf("{");
      texts.push(start < 0 ? `${ran.stdout}${ran.stderr}` : textOf(JSON.parse(ran.stdout.slice(start))));
    }
    return texts;
  };

/** Codex with a scripted model. */
export const playCodex =
  (modules: string): PlayClient =>
  async (server, calls) => {
    await using home = await tempHome();
    await using model = await startModelServer({
      protocol: "openai-responses",
      turns: turnsOf(calls, ({ name, args }) => ({ name, args, namespace: "mcp__hermes" })),
    });
    const quoted = (value: unknown): string => JSON.stringify(value);
    const settings = [
      'model = "m1"',
      'model_provider = "scripted"',
      'approval_policy = "never"',
      'sandbox_mode = "read-only"',
      "[model_providers.scripted]",
      'name = "scripted"',
      `base_url = ${quoted(model.url)}`,
      'wire_api = "responses"',
      "[mcp_servers.hermes]",
      `command = ${quoted(server.command)}`,
      `args = ${quoted(server.args)}`,
      `cwd = ${quoted(server.cwd)}`,
      // Otherwise the first request does not wait for the server.
      "required = true",
      // Codex asks for no approval, because Hermes decides.
      'default_tools_approval_mode = "approve"',
      "[mcp_servers.hermes.env]",
      ...Object.entries(server.env).map(([name, value]) => `${name} = ${quoted(value)}`),
    ];
    await writeFile(join(home.path, "config.toml"), settings.join("\n"));
    const ran = await runProgram(
      process.execPath,
      [join(modules, "@openai", "codex", "bin", "codex.js"), "exec", "--skip-git-repo-check", "--json", "Do it."],
      { cwd: server.cwd, env: { HOME: home.path, CODEX_HOME: home.path } },
    );
    if (ran.code !== 0) throw new Error(`Codex ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return resultsIn(model.requests.at(-1), "input", "function_call_output", "output");
  };

/** Claude Code with a scripted model. */
export const playClaudeCode =
  (modules: string): PlayClient =>
  async (server, calls) => {
    await using home = await tempHome();
    await using model = await startModelServer({
      protocol: "anthropic-messages",
      turns: turnsOf(calls, ({ name, args }) => ({ name: `mcp__hermes__${name}`, args })),
    });
    const { command, args, env } = server;
    const settings = JSON.stringify({ mcpServers: { hermes: { command, args, env } } });
    const platform = `${process.platform}-${process.arch}`;
    const ran = await runProgram(
      join(modules, "@anthropic-ai", `claude-code-${platform}`, "claude"),
      ["-p", "Do it.", "--strict-mcp-config", "--allowedTools", "mcp__hermes", "--mcp-config", settings],
      {
        cwd: server.cwd,
        env: {
          HOME: home.path,
          ANTHROPIC_BASE_URL: model.url,
          ANTHROPIC_API_KEY: "none",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          ENABLE_TOOL_SEARCH: "false",
        },
      },
    );
    if (ran.code !== 0) throw new Error(`Claude Code ended with ${ran.code}: ${ran.stdout}${ran.stderr}`);
    return resultsIn(model.requests.at(-1), "messages", "tool_result", "content");
  };

/** Makes one call per turn, then sends a final text. A request without tools has another purpose, such as a title. */
function turnsOf(
  calls: readonly ClientCall[],
  toCall: (call: ClientCall) => NonNullable<ScriptedTurn["calls"]>[number],
): (request: RecordedRequest) => ScriptedTurn {
  let index = 0;
  return ({ json }) => {
    const hasTools = Array.isArray(json["tools"]) && json["tools"].length > 0;
    const next = hasTools ? calls[index++] : undefined;
    return next ? { calls: [toCall(next)] } : { text: "Done." };
  };
}

/** The texts of all objects of a type in a request, in order. */
function resultsIn(request: RecordedRequest | undefined, list: string, type: string, field: string): readonly string[] {
  const texts: string[] = [];
  const walk = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) return value.forEach(walk);
    if (!isObject(value)) return;
    if (value["type"] === type) texts.push(textOf(value[field]));
    else Object.values(value).forEach(walk);
  };
  walk(request?.json[list]);
  return texts;
}

/** All texts in a result, however the client wraps it. */
function textOf(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(textOf).join("\n");
  if (!isObject(value)) return "";
  return textOf(value["text"] ?? value["content"]);
}
