import { waitFor, type WaitOptions, type WaitOutcome } from "../../base/async/bounded-wait.ts";

/** Shows whether output still arrives. */
export interface OutputArrivals {
  readonly bytes: () => number;
  /** More output is accepted only when what arrived is written. */
  readonly isPaused?: () => boolean;
}

export interface RestOptions extends Pick<WaitOptions, "signal" | "clock"> {
  /** Gives up when nothing arrived for this long. */
  readonly quietMs: number;
  /** Also gives up after so many times `quietMs`: another process may write to the same place without end. */
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
  // A rejection reaches the caller by the wait itself.
  watched.catch(() => {});
  for (let round = 1; ; round += isPaused() ? 0 : 1) {
    const before = bytes();
    const waited = await waitFor(ended, { ...(signal && { signal }), ms: quietMs, clock });
    if (waited.how !== "timeout") return waited;
    // After a stall of this process its timers run before it reads what arrived meanwhile.
    await nextTurn();
    const isQuiet = bytes() === before && !isPaused();
    if (isQuiet || round >= maxRounds) return watch.ending ?? waited;
  }
}

/** After one look at the descriptors. */
async function nextTurn(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}
