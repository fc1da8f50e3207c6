import { waitOrAbort } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import type { Link } from "./link.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { environmentError, runScript } from "./run-script.ts";
import { endScript } from "./runner-script.ts";

/**
 * Kills runs on the backend whose connection was lost. A run that cannot be reached now is killed before the next
 * command.
 */
export interface Orphans {
  /** Kills a run now. False: the backend does not respond, and the run is remembered. */
  add(marker: string, group: number | undefined): Promise<boolean>;
  remember(marker: string, group: number | undefined): void;
  /** Kills all remembered runs. */
  end(signal: AbortSignal): Promise<Result<void, EnvironmentError>>;
}

export function createOrphans(link: Link, machine: RemoteMachine, clock: Clock, log: Logger): Orphans {
  const remembered = new Map<string, number | undefined>();

  async function endOne(marker: string, group: number | undefined, signal: AbortSignal) {
    const ran = await runScript(link, endScript(machine, marker, group), { signal });
    if (!ran.ok) return ran;
    if (ran.value.exitCode !== 0) log.warn("run.unkillable", { marker, backend: link.kind });
    remembered.delete(marker);
    return ran;
  }

  return {
    remember: (marker, group) => void remembered.set(marker, group),
    async add(marker, group) {
      remembered.set(marker, group);
      const waited = await waitOrAbort((signal) => endOne(marker, group, signal), { ms: answerMs, clock });
      return waited.how === "done" && waited.value.ok;
    },
    async end(signal) {
      for (const [marker, group] of remembered) {
        const ended = await endOne(marker, group, signal);
        if (!ended.ok) return err(environmentError(ended.error));
      }
      return ok(undefined);
    },
  };
}

const answerMs = 20_000;
