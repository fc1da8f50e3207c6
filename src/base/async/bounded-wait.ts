import type { Clock } from "../clock.ts";

/** How a wait ended. Work that is still running afterwards is ignored, including a late rejection. */
export type WaitOutcome<T> = { readonly how: "done"; readonly value: T } | { readonly how: "timeout" | "aborted" };

export interface WaitOptions {
  /** Optional only for callers that have already handled the abort and wait for a final grace period. */
  readonly signal?: AbortSignal;
  /** The timeout in milliseconds; `Infinity` for none. */
  readonly ms: number;
  readonly clock: Clock;
  /** If true, the wait does not keep the process alive. */
  readonly isOptional?: boolean;
  /** Called if the work does not settle immediately; disposed when the wait is over. */
  readonly whileWaiting?: () => Disposable | undefined;
}

/** Waits for work that may never end. Rejects if the work rejects. Keeps the process running, unless optional. */
export async function waitFor<T>(work: Promise<T>, patience: WaitOptions): Promise<WaitOutcome<T>> {
  const watch: { ending?: WaitOutcome<T> } = {};
  const watched = work.then((value) => (watch.ending = { how: "done", value }));
  // Work often settles immediately, and then timers and listeners would cost more than the work.
  const now = Promise.resolve();
  for (let tick = 0; tick < maxTicks && !watch.ending && !patience.signal?.aborted; tick++) await now;
  if (watch.ending) return watch.ending;
  using _waiting = patience.whileWaiting?.();
  return await armed(watched, patience);
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

/** A number of ticks above the steps of a policy that decides without asking the user. */
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

/** The longest timer: Node fires a longer one immediately. */
const maxTimerMs = 2 ** 31 - 1;

function doNothing() {}
