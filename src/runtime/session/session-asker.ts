import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/load.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import { boundedAsker } from "../../kernel/session/bounded-asker.ts";

/** The asker that tools of the session get: a question waits as long as the settings say. */
export function sessionAsker(
  asker: Asker,
  source: string,
  { clarify, agent }: Pick<Config, "clarify"> & { readonly agent: Pick<Config["agent"], "clarify_timeout"> },
  clock: Clock,
): Asker {
  const isTerminal = source === "cli" || source === "oneshot";
  return boundedAsker(asker, (isTerminal ? clarify.timeout : agent.clarify_timeout) * 1_000, clock);
}
