import { join } from "node:path";

import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { words } from "../../base/text/words.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { readToml } from "./read-toml.ts";

/** A settings file of another program that may name MCP servers. */
export interface ImportFile {
  readonly program: string;
  readonly path: string;
}

/** A server from such a file, converted to the keys of Hermes. */
export interface ImportedServer {
  /** The server's name, changed so that Hermes accepts it. */
  readonly name: string;
  readonly settings: JsonObject;
  /** Parts of the file that Hermes does not support, as text for the user. */
  readonly notes: readonly string[];
}

export interface ImportPlaces {
  readonly userFolder: string;
  readonly workspace: string;
  readonly platform: NodeJS.Platform;
}

/** The files in which other programs store their MCP servers, whether or not they exist. */
export function importFiles({ userFolder, workspace, platform }: ImportPlaces): readonly ImportFile[] {
  const apps =
    platform === "darwin"
      ? join(userFolder, "Library", "Application Support")
      : platform === "win32"
        ? join(userFolder, "AppData", "Roaming")
        : join(userFolder, ".config");
  const filesOf = (program: string, ...paths: readonly string[]) => paths.map((path) => ({ program, path }));
  return [
    ...filesOf("Claude Code", join(userFolder, ".claude.json"), join(workspace, ".mcp.json")),
    ...filesOf("Claude Desktop", join(apps, "Claude", "claude_desktop_config.json")),
    ...filesOf("Cursor", join(userFolder, ".cursor", "mcp.json"), join(workspace, ".cursor", "mcp.json")),
    ...filesOf("VS Code", join(apps, "Code", "User", "mcp.json"), join(workspace, ".vscode", "mcp.json")),
    ...filesOf("Codex", join(userFolder, ".codex", "config.toml"), join(workspace, ".codex", "config.toml")),
    ...filesOf("Gemini CLI", join(userFolder, ".gemini", "settings.json"), join(workspace, ".gemini", "settings.json")),
  ];
}

/**
 * Reads the servers from such a file, whose format is detected from its content. The error explains why the file
 * cannot be read.
 */
export async function readImportFile(
  path: string,
  text: string,
  workspace: string,
): Promise<Result<readonly ImportedServer[], string>> {
  const limits = { maxChars: 50_000_000, maxDepth: 200 };
  const tree = path.endsWith(".toml") ? await readToml(text) : parseJson(withoutComments(text), limits);
  if (!tree.ok) return tree;
  if (!isObject(tree.value)) return err("the file does not contain keys and values");
  const servers = serversIn(tree.value, workspace);
  // A server without keys and values is passed on without settings, so that the user reads why it is not imported.
  return ok(Object.entries(servers).map(([name, server]) => imported(name, isObject(server) ? server : {}, workspace)));
}

/**
 * The key is `mcpServers` in many programs and in a Claude Code workspace, `servers` in VS Code, `mcp_servers` in
 * Codex.
 */
function serversIn(tree: JsonObject, workspace: string): JsonObject {
  const { mcpServers, servers, mcp_servers: codex, mcp, projects } = tree;
  const project = isObject(projects) ? projects[workspace] : undefined;
  const nested = isObject(mcp) ? mcp["servers"] : undefined;
  const own = isObject(project) ? project["mcpServers"] : undefined;
  const parts = [mcpServers, codex, servers, nested, own].filter((part) => isObject(part));
  // The cast is safe: all values come from one tree of JSON values.
  return Object.assign({}, ...parts) as JsonObject;
}

function imported(name: string, server: JsonObject, workspace: string): ImportedServer {
  const notes: string[] = [];
  const inputs = new Set<string>();
  const inside = (value: JsonValue | undefined): JsonValue | undefined => {
    if (typeof value === "string") return translated(value, workspace, inputs, notes);
    if (Array.isArray(value)) return value.map((item: JsonValue) => inside(item) ?? null);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, inside(item) ?? null]));
  };
  const { command, args, env, headers, disabled, cwd } = server;
  const url = server["url"] ?? server["serverUrl"] ?? server["httpUrl"];
  const type = server["type"] ?? server["transport"];
  const include = server["includeTools"] ?? server["enabled_tools"];
  const exclude = server["excludeTools"] ?? server["disabled_tools"];
  const bearer = server["bearer_token_env_var"];
  const allHeaders = {
    ...(isObject(headers) ? headers : {}),
    ...(isObject(server["http_headers"]) ? server["http_headers"] : {}),
    ...variablesOf(server["env_http_headers"]),
    ...(typeof bearer === "string" && { Authorization: `Bearer \${${bearer}}` }),
  };
  const allVariables = {
    ...(Array.isArray(server["env_vars"]) &&
      variablesOf(Object.fromEntries(server["env_vars"].map((each) => [each, each])))),
    ...(isObject(env) ? env : {}),
  };
  // Some files write it as text. A server that is off there must not start here.
  const isOff =
    ["true", "1", "yes"].includes(wordOf(disabled)) || ["false", "0", "no"].includes(wordOf(server["enabled"]));
  if (type !== undefined && !transports.has(wordOf(type)))
    notes.push(`Its type ${JSON.stringify(type)} is unknown, so Hermes uses the default for its address or command.`);
  const program = url === undefined ? programOf(command, args, cwd, notes) : {};
  for (const key of Object.keys(server))
    if (!knownKeys.has(key)) notes.push(`${key} was skipped: Hermes has no setting for it.`);
  const settings = withoutUndefined({
    ...program,
    env: Object.keys(allVariables).length > 0 ? allVariables : undefined,
    url,
    headers: Object.keys(allHeaders).length > 0 ? allHeaders : undefined,
    transport: type === "sse" ? "sse" : undefined,
    enabled: isOff ? false : undefined,
    timeout: secondsOf(server),
    connect_timeout: server["startup_timeout_sec"],
    tools: Array.isArray(include) || Array.isArray(exclude) ? withoutUndefined({ include, exclude }) : undefined,
  });
  const translatedSettings = inside(settings) as JsonObject;
  for (const input of inputs)
    notes.push(`The file asks for the value ${input}. Set it with: hermes config set ${input} VALUE`);
  return { name: usableName(name), settings: translatedSettings, notes: [...new Set(notes)] };
}

const transports: ReadonlySet<string> = new Set(words("stdio http sse streamable-http streamable_http streamablehttp"));

/** A switch or a word in lower case; empty for other values. */
function wordOf(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "boolean" || typeof value === "number"
    ? String(value).toLowerCase()
    : "";
}

/** Maps names to variables of the environment. */
function variablesOf(names: JsonValue | undefined): JsonObject {
  if (!isObject(names)) return {};
  return Object.fromEntries(
    Object.entries(names).flatMap(([key, name]) => (typeof name === "string" ? [[key, `\${${name}}`]] : [])),
  );
}

const knownKeys: ReadonlySet<string> = new Set(
  words(
    "command args env headers http_headers disabled enabled cwd url serverUrl httpUrl type transport includeTools enabled_tools excludeTools disabled_tools bearer_token_env_var env_http_headers env_vars timeout tool_timeout_sec startup_timeout_sec name description gallery version",
  ),
);

/** A program that needs its own folder is started through the shell. */
function programOf(
  command: JsonValue | undefined,
  args: JsonValue | undefined,
  cwd: JsonValue | undefined,
  notes: string[],
): JsonObject {
  const line = Array.isArray(command) ? command : [command, ...(Array.isArray(args) ? args : [])];
  const [program, ...rest] = line.filter((word) => word !== undefined && word !== null) as JsonValue[];
  if (program === undefined) return {};
  if (typeof cwd !== "string" || cwd === "") return { command: program, args: rest };
  notes.push(`The program runs in ${cwd}, so Hermes starts it through a shell.`);
  return { command: "sh", args: ["-c", 'cd "$1" && shift && exec "$@"', "sh", cwd, program, ...rest] };
}

/** `${input:x}` of VS Code becomes a variable; `${workspaceFolder}` becomes the folder. */
function translated(text: string, workspace: string, inputs: Set<string>, notes: string[]): string {
  return text
    .replaceAll(/\$\{input:([^}]+)\}/gu, (_, id: string) => {
      const name = id.toUpperCase().replaceAll(/[^A-Z0-9]+/gu, "_");
      inputs.add(name);
      return `\${${name}}`;
    })
    .replaceAll(/\$\{(?:workspaceFolder|workspaceRoot)\}/gu, () => workspace)
    .replaceAll(/\$\{userHome\}/gu, "${HOME}")
    .replaceAll(/\$\{([A-Za-z_]\w*):-([^}]*)\}/gu, (_, name: string, initial: string) => {
      notes.push(
        `The default of ${name} was left out. To set it: hermes config set ${name} ${quoteForShellIfNeeded(initial)}`,
      );
      return `\${${name}}`;
    });
}

/** Codex uses seconds, the others milliseconds. */
function secondsOf({ timeout, tool_timeout_sec: seconds }: JsonObject): JsonValue | undefined {
  if (seconds !== undefined) return seconds;
  return typeof timeout === "number" && timeout >= 1_000 ? Math.ceil(timeout / 1_000) : undefined;
}

function usableName(name: string): string {
  const plain = name.replaceAll(/[^\w.-]+/gu, "-").replaceAll(/^[^A-Za-z0-9]+|-+$/gu, "");
  return plain.slice(0, 64) || "server";
}

/** VS Code and Cursor allow comments and trailing commas. */
function withoutComments(text: string): string {
  return text
    .replace(/^\uFEFF/u, "")
    .replaceAll(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//gu, (_, string: string | undefined) => string ?? "")
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/gu, (_, string: string | undefined) => string ?? "");
}
