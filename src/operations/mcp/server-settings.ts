import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { expandVariables } from "../../base/text/expand-variables.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { userFolder } from "../../config/home.ts";
import type { KeyPath } from "../../config/keys/key-path.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { type ReadEntries, readMcpEntries } from "../../mcp/entries/read-entries.ts";

/** A server in `config.yaml`. */
export interface ServerPlace {
  readonly path: KeyPath;
  /** The current settings of the server. Undefined: it does not exist yet. */
  readonly settings?: JsonObject;
}

/** The servers of the settings, read again with these changes. Undefined removes a server. */
export function readServers(
  config: LoadedConfig,
  changes: Readonly<Record<string, JsonObject | undefined>>,
): ReadEntries {
  const before = namedSettings(config.values.mcp_servers).filter(([name]) => !Object.hasOwn(changes, name));
  const added = Object.entries(changes).flatMap(([name, settings]) =>
    settings ? [[name, expandVariables(settings, (variable) => config.secrets.get(variable))] as const] : [],
  );
  const { home, env } = config;
  return readMcpEntries(Object.fromEntries([...before, ...added]), {
    userFolder: userFolder(env),
    profile: home.profile,
  });
}

/** Checks the settings of one server, with its variables expanded. */
export function readServer(
  config: LoadedConfig,
  name: string,
  settings: JsonObject,
): Result<{ readonly entry: McpServerEntry; readonly notices: readonly string[] }, OperationFault> {
  const { entries, problems, notices } = readServers(config, { [name]: settings });
  const entry = entries.find((each) => each.name === name);
  if (entry) {
    const own = notices.filter((notice) => notice.name === name);
    return ok({ entry, notices: own.map(({ message }) => message) });
  }
  const message = problems.find((problem) => problem.message.includes(name))?.message ?? `${name} cannot be used.`;
  return err({ message: message.replace(/^MCP server .+? is disabled: /u, `${name} was not saved: `), kind: "input" });
}

/** The position of a server in the settings: a record by name or a list of entries. */
export function serverPlace({ values }: LoadedConfig, name: string): ServerPlace {
  const raw = values.mcp_servers;
  if (!Array.isArray(raw)) {
    const settings = isObject(raw) && Object.hasOwn(raw, name) ? raw[name] : undefined;
    return {
      path: ["mcp_servers", name],
      ...(settings !== undefined && { settings: isObject(settings) ? settings : {} }),
    };
  }
  const index = raw.findIndex((entry: JsonValue) => isObject(entry) && entry["name"] === name);
  if (index < 0) return { path: ["mcp_servers", raw.length] };
  return { path: ["mcp_servers", index], settings: raw[index] as JsonObject };
}

export function unknownServer(config: LoadedConfig, name: string): OperationFault {
  const names = namedSettings(config.values.mcp_servers).map(([each]) => each);
  return {
    message: `There is no MCP server ${name}. ${didYouMean(name, names)}`.trim(),
    hint: names.length === 0 ? "`hermes mcp add` adds one." : "`hermes mcp list` lists the servers.",
  };
}

function namedSettings(raw: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (isObject(raw)) return Object.entries(raw);
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((entry: JsonValue) => {
    if (!isObject(entry)) return [];
    const { name, ...settings } = entry;
    return typeof name === "string" ? [[name, settings] as const] : [];
  });
}
