import type { Clock } from "../clock.ts";

/** How waiting ended. Work that still runs is ignored afterwards, including a late rejection. */
export type WaitOutcome<T> = { readonly how: "done"; readonly value: T } | { readonly how: "timeout" | "aborted" };

export interface WaitOptions {
  /** Omitted only by callers that have already handled the abort and wait for a final grace period. */
  readonly signal?: AbortSignal;
  /** `Infinity`: no timeout. */
  readonly ms: number;
  readonly clock: Clock;
  /** True: waiting does not keep the process alive. */
  readonly isOptional?: boolean;
}

/** Waits for work that may never end. Rejects if the work rejects. Keeps the process running, unless optional. */
export async function waitFor<T>(work: Promise<T>, patience: WaitOptions): Promise<WaitOutcome<T>> {
  const watch: { ending?: WaitOutcome<T> } = {};
  const watched = work.then((value) => (watch.ending = { how: "done", value }));
  // Most work settles immediately; timers and listeners would cost more than the work.
  for (let tick = 0; tick < maxTicks && !watch.ending && !patience.signal?.aborted; tick++) await Promise.resolve();
  return watch.ending ?? armed(watched, patience);
}

/** Like `waitFor`, for work that takes a signal: the signal is aborted after the timeout. */
export async function waitOrAbort<T>(
  work: (signal: AbortSignal) => Promise<T>,
  patience: Pick<WaitOptions, "ms" | "clock">,
): Promise<WaitOutcome<T>> {
  const over = new AbortController();
  const waited = await waitFor(work(over.signal), patience);
  if (waited.how !== "done") over.abort(new Error("timeout"));
  return waited;
}

/** More than the steps of a policy that decides without asking. */
const maxTicks = 30;

function armed<T>(
  watched: Promise<WaitOutcome<T>>,
  { signal, ms, clock, isOptional }: WaitOptions,
): Promise<WaitOutcome<T>> {
  return new Promise((resolve, reject) => {
    const stayAlive = isOptional ? undefined : setInterval(doNothing, maxTimerMs);
    const timer = ms <= maxTimerMs ? clock.after(ms, () => stop({ how: "timeout" })) : undefined;
    const onAbort = () => stop({ how: "aborted" });
    const release = () => {
      clearInterval(stayAlive);
      timer?.[Symbol.dispose]();
      signal?.removeEventListener("abort", onAbort);
    };
    const stop = (how: WaitOutcome<T>) => {
      release();
      resolve(how);
    };
    watched.then(stop, (thrown: unknown) => {
      release();
      reject(thrown);
    });
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort);
  });
}

/** Node fires a longer timer immediately. */
const maxTimerMs = 2 ** 31 - 1;

function doNothing() {}
