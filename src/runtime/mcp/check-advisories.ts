import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import { packageOf } from "../../mcp/entries/package-of.ts";
import { adviceAbout, savedAdvisories } from "./ask-osv.ts";

interface CheckDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly report: (server: string, sentence: string) => void;
}

/**
 * Queries the OSV database before the package of a server starts, at most once a day, and saves the answer. Without an
 * answer in a short time the server starts anyway. Malware is not reported here: it keeps the server from starting.
 */
export function advisoryCheck(config: LoadedConfig, { clock, log, report }: CheckDeps) {
  const saved = savedAdvisories(config, clock);
  return async ({ name, target }: McpServerEntry, signal: AbortSignal): Promise<void> => {
    const fetched = target.kind === "stdio" ? packageOf(target) : undefined;
    if (!fetched || config.values.mcp.osv_url === "" || saved.isFresh(fetched)) return;
    const before = new Set(saved.find(fetched).map(({ id }) => id));
    const advice = await adviceAbout(fetched, config, clock, signal, maxStartMs);
    if (!advice.ok) return log.debug("mcp.advisories_unknown", { server: name, error: advice.error });
    const fresh = advice.value.filter(({ id, isMalware }) => !isMalware && !before.has(id));
    const [first, ...others] = fresh;
    if (!first) return;
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    report(
      name,
      `MCP server ${name} runs ${fetched.name} ${fetched.version ?? ""}, which has known flaws: ${first.id} (${first.summary})${more}. Use a fixed version. To see all: hermes security audit`,
    );
  };
}

const maxStartMs = 3_000;
