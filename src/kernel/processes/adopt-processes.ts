import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { Entry, SessionRecord } from "../../contracts/session/session.ts";
import type { OwnedProcessTable } from "./process-table.ts";

export interface AdoptDeps {
  readonly record: SessionRecord;
  readonly entries: readonly Entry[];
  readonly workbench: { readonly processes: OwnedProcessTable };
  readonly logger: Logger;
}

/**
 * Reattaches a session to its background processes after a crash: the user gets a list of the running ones, and the
 * model gets a message when one ends. Runs in the background, and does nothing for a session without processes.
 */
export function adoptProcesses(
  { record, entries, workbench, logger }: AdoptDeps,
  { signal, emit }: { readonly signal: AbortSignal; emit(event: AgentEventBody): void },
): void {
  const startedSome = entries.some((entry) => entry.type === "planned" && entry.call.args["background"] === true);
  if (!startedSome) return;
  adopt().catch((thrown: unknown) => {
    if (!signal.aborted) logger.warn("processes.not_adopted", { error: reasonOf(thrown) });
  });

  async function adopt(): Promise<void> {
    const running = await workbench.processes.adopt(record.id, record.changedAt, signal);
    if (running.length === 0 || signal.aborted) return;
    // The ids are shown instead of the command lines, which may contain secrets.
    const ids = running.map(({ id }) => id).join(", ");
    emit({ type: "notice", level: "info", text: `Background processes of this session still run: ${ids}` });
  }
}
