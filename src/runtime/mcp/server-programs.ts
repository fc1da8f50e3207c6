import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { openProgramConsents } from "../../mcp/entries/consents.ts";
import { checkEntry } from "../../mcp/entries/entry-checks.ts";
import { commandDangers } from "../../safety/command-dangers.ts";

/** Decides which programs of servers may start. */
export interface ServerPrograms {
  /** Reasons why the user must accept the program first, one sentence each. Empty: it may start. */
  reasons(entry: McpServerEntry): Promise<readonly string[]>;
  /** The reason why the program must not start now, as text for the user. Undefined: it may start. */
  startFault(entry: McpServerEntry): Promise<string | undefined>;
  /** Stores that the user accepts these programs in their current form. */
  accept(entries: readonly McpServerEntry[], signal: AbortSignal): Promise<Result<void>>;
}

export function openServerPrograms(
  { home, env, user }: Pick<LoadedConfig, "home" | "env" | "user">,
  { cwd, clock }: { readonly cwd: string; readonly clock: Clock },
): ServerPrograms {
  const consents = openProgramConsents(join(home.path, homeFiles.mcpConsents), clock);
  const place = { cwd, home: userFolder(env), user };
  const reasons: ServerPrograms["reasons"] = (entry) => checkEntry(entry, (line) => commandDangers(line, place));
  return {
    reasons,
    async startFault(entry) {
      if (entry.target.kind !== "stdio" || consents.has(entry)) return undefined;
      const [first, ...others] = await reasons(entry);
      if (first === undefined) return undefined;
      const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
      return `MCP server ${entry.name} was not started. ${first}${more} To accept it: hermes mcp trust ${entry.name}`;
    },
    accept: (entries, signal) => consents.accept(entries, signal),
  };
}
