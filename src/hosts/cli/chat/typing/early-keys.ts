import { sleep } from "../../../../base/async/abort.ts";
import type { Clock } from "../../../../base/clock.ts";
import { type Typed, typedLines } from "./typed-keys.ts";

/**
 * A question ignores keys that arrive within this time after it appeared, or while more keys directly follow: they were
 * typed before.
 */
export const readyMs = 400;
const pauseMs = 200;

/** Keys typed just before a question appeared. They do not answer it; the line gets them afterwards. */
export interface EarlyKeys {
  /** True: the key is kept for later. */
  keep(typed: Typed): boolean;
  /** True: keys are kept, because the question has just appeared. */
  readonly isKeeping: boolean;
  begin(): void;
  /** Waits until the question accepts keys. */
  ready(signal: AbortSignal): Promise<void>;
  end(): void;
  /** The kept text, line by line. */
  take(): readonly string[];
}

export function createEarlyKeys(clock: Clock): EarlyKeys {
  let isKeeping = false;
  let keys: Typed[] = [];
  let keyAt = 0;
  return {
    get isKeeping() {
      return isKeeping;
    },
    keep(typed) {
      if (!isKeeping || typed.kind === "interrupt") return false;
      keys.push(typed);
      keyAt = clock.elapsed();
      return true;
    },
    begin() {
      isKeeping = true;
      keyAt = clock.elapsed();
    },
    async ready(signal) {
      for (let waitMs = isKeeping ? readyMs : 0; waitMs > 0; waitMs = keyAt + pauseMs - clock.elapsed())
        await sleep(waitMs, signal, clock);
      isKeeping = false;
    },
    end() {
      isKeeping = false;
    },
    take() {
      const lines = typedLines(keys);
      keys = [];
      return lines;
    },
  };
}
