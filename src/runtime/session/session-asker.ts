import type { Clock } from "../../base/clock.ts";
import type { Config } from "../../config/load.ts";
import type { Asker } from "../../contracts/host/ports.ts";
import { boundedAsker } from "../../kernel/session/bounded-asker.ts";

/** The asker for tools of the session: questions time out according to the settings. */
export function sessionAsker(
  asker: Asker,
  source: string,
  { clarify, agent }: Pick<Config, "clarify"> & { readonly agent: Pick<Config["agent"], "clarify_timeout"> },
  clock: Clock,
): Asker {
  const isTerminal = source === "cli" || source === "oneshot";
  return boundedAsker(asker, (isTerminal ? clarify.timeout : agent.clarify_timeout) * 1_000, clock);
}
