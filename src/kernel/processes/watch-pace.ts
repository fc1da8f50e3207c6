import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";

/** Limits how often one process may report matching lines. */
export interface WatchPace {
  /**
   * Called when lines match. `tell`: report now, with the number of suppressed lines. `wait`: too soon after the last
   * report. `stop`: too soon for the third time in a row, so the watch ends.
   */
  found(lines: number): { readonly now: "tell"; readonly leftOut: number } | { readonly now: "wait" | "stop" };
}

/** The minimum time between two messages about one process. */
const betweenMs = 15_000;
const maxStrikes = 3;

export function createWatchPace(clock: Clock): WatchPace {
  let waitsUntil = -Infinity;
  let isStruck = false;
  let strikes = 0;
  let leftOut = 0;
  return {
    found(lines) {
      const now = clock.elapsed();
      if (now >= waitsUntil) {
        const omitted = leftOut;
        if (!isStruck) strikes = 0;
        isStruck = false;
        leftOut = 0;
        waitsUntil = now + betweenMs;
        return { now: "tell", leftOut: omitted };
      }
      leftOut += lines;
      if (!isStruck) strikes += 1;
      isStruck = true;
      return { now: strikes >= maxStrikes ? "stop" : "wait" };
    },
  };
}

/** Limits how often all processes together may report. */
export interface WatchBudget extends Disposable {
  /**
   * Returns false if there are too many reports. The session later gets one message with the number of suppressed
   * reports.
   */
  take(sessionId: SessionId): boolean;
}

const maxMessages = 15;
const withinMs = 10_000;
export const silentMs = 30_000;

export function createWatchBudget(
  clock: Clock,
  tellLeftOut: (sessionId: SessionId, messages: number) => void,
): WatchBudget {
  let times: number[] = [];
  const leftOut = new Map<SessionId, number>();
  let silence: Disposable | undefined;

  function endSilence(): void {
    silence = undefined;
    times = [];
    const omitted = [...leftOut];
    leftOut.clear();
    for (const [sessionId, messages] of omitted) tellLeftOut(sessionId, messages);
  }

  return {
    take(sessionId) {
      const now = clock.elapsed();
      times = times.filter((time) => time > now - withinMs);
      if (!silence && times.length < maxMessages) {
        times.push(now);
        return true;
      }
      silence ??= clock.after(silentMs, endSilence);
      leftOut.set(sessionId, (leftOut.get(sessionId) ?? 0) + 1);
      return false;
    },
    [Symbol.dispose]() {
      silence?.[Symbol.dispose]();
      leftOut.clear();
    },
  };
}
