import { trySleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";

/** Decides how soon a plugin that crashed may start again. */
export interface CrashHistory {
  /** Records a crash and returns a message for the user. */
  add(reason: string): string;
  /** Waits until the plugin may start. Resolves with the reason if it may no longer start. */
  wait(): Promise<string | undefined>;
}

export function createCrashHistory(clock: Clock): CrashHistory {
  let times: readonly number[] = [];
  let broken: string | undefined;
  return {
    add(reason) {
      const now = clock.elapsed();
      times = [...times.filter((time) => now - time < windowMs), now];
      if (times.length < maxCrashes) return reason;
      broken = `${reason} The plugin failed ${maxCrashes} times within a minute and stays off until the next session.`;
      return broken;
    },
    async wait() {
      const last = times.at(-1);
      if (broken !== undefined || last === undefined) return broken;
      const waitMs = (times.length - 1) * backOffMs - (clock.elapsed() - last);
      if (waitMs > 0) await trySleep(waitMs, new AbortController().signal, clock);
      return undefined;
    },
  };
}

const windowMs = 60_000;
const maxCrashes = 3;
const backOffMs = 1_000;
