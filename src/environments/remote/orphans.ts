import { trySleep } from "../../base/async/abort.ts";
import { waitFor, waitOrAbort } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment/environment.ts";
import type { Link } from "./link.ts";
import type { RemoteMachine } from "./open-machine.ts";
import { environmentError, runScript } from "./run-script.ts";
import { endScript } from "./runner-script.ts";

/**
 * Kills runs on the backend whose connection was lost. A run that cannot be reached now is killed as soon as the
 * backend responds, and in any case before the next command. Disposing it stops the attempts in the background.
 */
export interface Orphans extends Disposable {
  /** Kills a run now, also one that starts later. False: the backend does not respond, and the run is remembered. */
  add(marker: string, group: number | undefined): Promise<boolean>;
  remember(marker: string, group: number | undefined): void;
  /** Kills all remembered runs. */
  end(signal: AbortSignal): Promise<Result<void, EnvironmentError>>;
}

export function createOrphans(link: Link, machine: RemoteMachine, clock: Clock, log: Logger): Orphans {
  const remembered = new Map<string, number | undefined>();
  const closing = new AbortController();
  let retrying = false;

  async function endOne(marker: string, group: number | undefined, signal: AbortSignal) {
    const ran = await runScript(link, endScript(machine, marker, group), { signal });
    if (!ran.ok) return ran;
    if (ran.value.exitCode !== 0) log.warn("run.unkillable", { marker, backend: link.kind });
    remembered.delete(marker);
    return ran;
  }

  /** A service may start a run late, and there may be no next command. */
  async function retry(): Promise<void> {
    if (retrying) return;
    retrying = true;
    const { signal } = closing;
    const patience = { signal, ms: answerMs, clock, isOptional: true };
    try {
      for (let pauseMs = firstPauseMs; remembered.size > 0 && pauseMs <= maxPauseMs; pauseMs *= 2) {
        if (!(await trySleep(pauseMs, signal, clock))) break;
        for (const [marker, group] of remembered) await waitFor(endOne(marker, group, signal), patience);
      }
    } catch (thrown) {
      // Nobody waits for this, and the next command tries again.
      log.warn("run.retry_failed", { backend: link.kind, error: reasonOf(thrown) });
    }
    retrying = false;
  }

  return {
    [Symbol.dispose]: () => closing.abort(),
    remember: (marker, group) => void remembered.set(marker, group),
    async add(marker, group) {
      remembered.set(marker, group);
      const waited = await waitOrAbort((signal) => endOne(marker, group, signal), { ms: answerMs, clock });
      const isEnded = waited.how === "done" && waited.value.ok;
      if (!isEnded) void retry();
      return isEnded;
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
const firstPauseMs = 500;
/** All pauses together take about four minutes. */
const maxPauseMs = 128_000;
