import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Result } from "../../base/result.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { Advisory } from "../../mcp/entries/advisories.ts";
import { openProgramConsents } from "../../mcp/entries/consents.ts";
import { checkEntry } from "../../mcp/entries/entry-checks.ts";
import { packageOf } from "../../mcp/entries/package-of.ts";
import { commandDangers } from "../../safety/command-dangers.ts";
import { savedAdvisories } from "./ask-osv.ts";

/** Decides which programs of servers may start. Uses no network. */
export interface ServerPrograms {
  /** Reasons to look closely at the command, one sentence each. */
  reasons(entry: McpServerEntry): Promise<readonly string[]>;
  /** Reasons why the user must accept the program first, saved malware advisories included. Empty: it may start. */
  openReasons(entry: McpServerEntry): Promise<readonly string[]>;
  /** The reason why the program must not start now, as text for the user. Undefined: it may start. */
  startFault(entry: McpServerEntry): Promise<string | undefined>;
  /** Stores that the user accepts these programs in their current form, and the malware advisories about them. */
  accept(entries: readonly McpServerEntry[], signal: AbortSignal): Promise<Result<void>>;
  /** Stores that the user wrote this command. A malware advisory about its package still stops it. */
  acceptCommand(entry: McpServerEntry, signal: AbortSignal): Promise<Result<void>>;
}

export function openServerPrograms(
  { home, env, user }: Pick<LoadedConfig, "home" | "env" | "user">,
  { cwd, clock }: { readonly cwd: string; readonly clock: Clock },
): ServerPrograms {
  const consents = openProgramConsents(join(home.path, homeFiles.mcpConsents), clock);
  const place = { cwd, home: userFolder(env), user };
  const advisories = savedAdvisories({ home }, clock);
  const check = (entry: McpServerEntry, malware: readonly Advisory[]) =>
    checkEntry(entry, (line) => commandDangers(line, place), malware);

  function malwareOf({ target }: McpServerEntry): readonly Advisory[] {
    const fetched = target.kind === "stdio" ? packageOf(target) : undefined;
    return fetched ? advisories.find(fetched).filter(({ isMalware }) => isMalware) : [];
  }

  async function openReasons(entry: McpServerEntry): Promise<readonly string[]> {
    const malware = malwareOf(entry);
    const isAccepted = entry.target.kind !== "stdio" || consents.has({ entry, malware: idsOf(malware) });
    return isAccepted ? [] : check(entry, malware);
  }

  return {
    reasons: (entry) => check(entry, []),
    openReasons,
    async startFault(entry) {
      const [first, ...others] = await openReasons(entry);
      if (first === undefined) return undefined;
      const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
      return `MCP server ${entry.name} was not started. ${first}${more} To accept it: hermes mcp trust ${entry.name}`;
    },
    accept: (entries, signal) =>
      consents.accept(
        entries.map((entry) => ({ entry, malware: idsOf(malwareOf(entry)) })),
        signal,
      ),
    acceptCommand: (entry, signal) => consents.accept([{ entry, malware: [] }], signal),
  };
}

function idsOf(advisories: readonly Advisory[]): readonly string[] {
  return advisories.map(({ id }) => id);
}
