import type { Clock } from "../clock.ts";

export interface AbortLink extends Disposable {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/**
 * A controller that is aborted with its parent, and can be aborted separately. Disposing detaches it from the parent
 * without aborting it: `using link = linkAbort(signal)`.
 */
export function linkAbort(parent: AbortSignal): AbortLink {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  const release = () => parent.removeEventListener("abort", follow);
  if (parent.aborted) follow();
  else parent.addEventListener("abort", follow, { once: true });
  return {
    signal: controller.signal,
    abort(reason) {
      release();
      controller.abort(reason);
    },
    [Symbol.dispose]: release,
  };
}

/**
 * Settles when `work` settles, or rejects with `signal.reason` as soon as the signal is aborted. The work is not
 * stopped; its later outcome is ignored, including a rejection.
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Waits and keeps the process running. Rejects with `signal.reason` as soon as the signal is aborted. */
export async function sleep(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  const over = Promise.withResolvers<void>();
  const stayAlive = setInterval(() => {}, 2 ** 30);
  try {
    using _timer = clock.after(ms, over.resolve);
    await abortable(over.promise, signal);
  } finally {
    clearInterval(stayAlive);
  }
}

/** Resolves with false if the signal aborts first. */
export async function trySleep(ms: number, signal: AbortSignal, clock: Clock): Promise<boolean> {
  return sleep(ms, signal, clock).then(
    () => true,
    () => false,
  );
}
