import { abortable } from "../base/async/abort.ts";
import { once } from "../base/async/once.ts";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log/log.ts";
import { reasonOf } from "../base/result.ts";
import type { BackgroundJob, BackgroundJobs } from "../contracts/host/background-job.ts";

/**
 * Runs background jobs. Disposing stops every job, waits for running ones, and then runs the jobs that need a last run.
 */
export function createBackgroundJobs({ clock, log }: { readonly clock: Clock; readonly log: Logger }): BackgroundJobs {
  const running = new Map<string, ScheduledJob>();
  return {
    add(job) {
      const scheduled = schedule(job, clock, log);
      running.set(job.name, scheduled);
      return {
        async [Symbol.asyncDispose]() {
          if (running.get(job.name) === scheduled) running.delete(job.name);
          await scheduled[Symbol.asyncDispose]();
        },
      };
    },
    start: (name) => running.get(name)?.start(),
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(running.values(), (job) => job[Symbol.asyncDispose]()));
    },
  };
}

interface ScheduledJob extends AsyncDisposable {
  start(): void;
}

function schedule({ name, when, run }: BackgroundJob, clock: Clock, log: Logger): ScheduledJob {
  const { afterMs, everyMs, atEndMs } = when;
  const stop = new AbortController();
  let current: Promise<void> | undefined;

  function runNow(signal: AbortSignal, isLast: boolean): Promise<void> {
    current ??= Promise.try(run, signal, isLast)
      .catch((thrown: unknown) => log.warn("job.failed", { job: name, error: reasonOf(thrown) }))
      .finally(() => (current = undefined));
    return current;
  }

  async function wait(): Promise<void> {
    for (let waitMs = afterMs; waitMs !== undefined; waitMs = everyMs) {
      await pause(waitMs, stop.signal, clock);
      await runNow(stop.signal, false);
    }
  }

  const waiting = wait().catch(() => {});
  return {
    start: () => void (stop.signal.aborted || runNow(stop.signal, false)),
    [Symbol.asyncDispose]: once(async () => {
      stop.abort();
      await waiting;
      await current;
      if (atEndMs !== undefined) await runNow(AbortSignal.timeout(atEndMs), true);
    }),
  };
}

/** Unlike `sleep`, this timer does not keep the process alive. */
async function pause(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  const over = Promise.withResolvers<void>();
  using _timer = clock.after(ms, over.resolve);
  await abortable(over.promise, signal);
}
