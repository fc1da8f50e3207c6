import { waitFor, type WaitOptions, type WaitOutcome } from "../../base/async/bounded-wait.ts";

/** Shows whether output still arrives. */
export interface OutputArrivals {
  readonly bytes: () => number;
  /** True while no more output is accepted, because earlier output is still being written. */
  readonly isPaused?: () => boolean;
}

export interface RestOptions extends Pick<WaitOptions, "signal" | "clock"> {
  /** Gives up when nothing arrived for this long. */
  readonly quietMs: number;
  /**
   * Also gives up after this many periods of `quietMs`, because another process may write to the same output forever.
   */
  readonly maxRounds?: number;
}

/**
 * Waits for the rest of the output of a command that has ended. Only silence ends the wait early, not a slow connection,
 * a slow disk or a busy machine: output that exists is not dropped.
 */
export async function waitForRest<T>(
  ended: Promise<T>,
  { bytes, isPaused = () => false }: OutputArrivals,
  { signal, clock, quietMs, maxRounds = Infinity }: RestOptions,
): Promise<WaitOutcome<T>> {
  const watch: { ending?: WaitOutcome<T> } = {};
  const watched = ended.then((value) => (watch.ending = { how: "done", value }));
  // Ignored here: `waitFor` passes a rejection to the caller.
  watched.catch(() => {});
  for (let round = 1; ; round += isPaused() ? 0 : 1) {
    const before = bytes();
    const waited = await waitFor(ended, { ...(signal && { signal }), ms: quietMs, clock });
    if (waited.how !== "timeout") return waited;
    // If this process was stalled, its timers run before it reads the output that arrived meanwhile.
    await nextTurn();
    const isQuiet = bytes() === before && !isPaused();
    if (isQuiet || round >= maxRounds) return watch.ending ?? waited;
  }
}

/** Resolves after Node has read the available data of all descriptors once. */
async function nextTurn(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
