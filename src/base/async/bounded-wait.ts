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
export function waitFor<T>(work: Promise<T>, patience: WaitOptions): Promise<WaitOutcome<T>> {
  return new Promise((resolve, reject) => {
    let release: (() => void) | undefined;
    let isOver = false;
    const end = (outcome: WaitOutcome<T>) => {
      isOver = true;
      release?.();
      resolve(outcome);
    };
    work.then(
      (value) => end({ how: "done", value }),
      (thrown: unknown) => {
        isOver = true;
        release?.();
        reject(thrown);
      },
    );
    const start = () => {
      if (patience.signal?.aborted) end({ how: "aborted" });
      else release = arm(end, patience);
    };
    if (patience.signal?.aborted) start();
    // Work often settles immediately, and then timers and listeners would cost more than the work.
    else process.nextTick(() => isOver || start());
  });
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

/** Starts the timer and listens for the abort. Returns a function that ends both. */
function arm(
  end: (how: { readonly how: "timeout" | "aborted" }) => void,
  { signal, ms, clock, isOptional, whileWaiting }: WaitOptions,
): () => void {
  const waiting = whileWaiting?.();
  const stayAlive = isOptional ? undefined : setInterval(doNothing, maxTimerMs);
  const timer = ms <= maxTimerMs ? clock.after(ms, () => end({ how: "timeout" })) : undefined;
  const onAbort = () => end({ how: "aborted" });
  signal?.addEventListener("abort", onAbort);
  return () => {
    clearInterval(stayAlive);
    timer?.[Symbol.dispose]();
    signal?.removeEventListener("abort", onAbort);
    waiting?.[Symbol.dispose]();
  };
}

/** The longest timer: Node fires a longer one immediately. */
const maxTimerMs = 2 ** 31 - 1;

function doNothing() {}
