import { isObject, type JsonValue } from "../../base/json.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { createValueMask } from "../../config/keys/mask-values.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpListing } from "../../contracts/mcp/definitions.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { McpServerStatus } from "../../contracts/mcp/status.ts";
import { describePermissions, parsePermissions } from "../../plugins/permissions.ts";
import { serverPlace } from "./server-settings.ts";

/** One server in a list. Secrets are masked. */
export function listedServer(status: McpServerStatus, config: LoadedConfig) {
  const { name, state, why, entry, tools, waiting, isUnconfined } = status;
  return {
    name,
    state,
    ...withoutUndefined({
      why,
      where: entry && serverLocation(entry, config),
      kind: entry?.target.kind,
      trust: entry?.trust,
    }),
    tools,
    waiting,
    isUnconfined,
  };
}

/** Everything about one server. */
export function shownServer(status: McpServerStatus, listing: McpListing | undefined, config: LoadedConfig) {
  const { settings = {} } = serverPlace(config, status.name);
  const permissions = status.entry?.target.kind === "stdio" ? status.entry.target.permissions : undefined;
  const offered = new Set(status.tools);
  return {
    ...listedServer(status, config),
    settings: createValueMask(config.secrets)("mcp_servers", settings),
    ...(permissions && { may: permissionPhrases(permissions) }),
    ...(listing && {
      server: listing.server,
      ...withoutUndefined({ instructions: listing.instructions }),
      definitions: listing.tools.map((tool) => ({ ...tool })),
      prompts: listing.prompts,
      hasResources: listing.hasResources,
      problems: listing.problems,
    }),
    callable: offered.size,
    log: status.log,
  };
}

/** The command line or the address, without secrets. */
export function serverLocation({ target }: McpServerEntry, { secrets }: Pick<LoadedConfig, "secrets">): string {
  const mask = createValueMask(secrets);
  // The cast is safe: masking a text returns a text.
  const masked = mask("args", target.kind === "stdio" ? [target.command, ...target.args] : [target.url]) as string[];
  return target.kind === "stdio" ? masked.map(quoteForShellIfNeeded).join(" ") : (masked[0] ?? "");
}

/** Phrases for permissions, to complete the sentence "it may …". */
export function permissionPhrases(permissions: JsonValue): readonly string[] {
  const parsed = isObject(permissions) || Array.isArray(permissions) ? parsePermissions(permissions) : undefined;
  if (!parsed) return [];
  return parsed.ok ? describePermissions(parsed.value) : [parsed.error];
}
