import type { Clock } from "../../../base/clock.ts";

/** Watches an answer while it streams. */
export interface EndlessAnswer {
  /** True when it has said the same over and over for so long that it will not end by itself. */
  add(delta: string): boolean;
}

/** Words may be repeated for so many characters; lines, zeros and the like are drawn for longer. */
const maxWordRepeats = 8_000;
const maxSignRepeats = 40_000;
/** Somebody may want a long text of one sentence: it is there soon. */
const longestMs = 60_000;
/** The longest repetition, and the steps of the search. */
const longestUnit = 400;
const step = 4_000;
/** So much of the end is looked for further up. */
const probe = 64;

export function createEndlessAnswer(clock: Pick<Clock, "elapsed">): EndlessAnswer {
  let tail = "";
  let waiting = 0;
  let since: number | undefined;

  return {
    add(delta) {
      tail += delta;
      waiting += delta.length;
      if (waiting < step) return false;
      tail = tail.slice(-maxSignRepeats);
      waiting = 0;
      const now = clock.elapsed();
      since = isRepeated(tail) ? (since ?? now) : undefined;
      return since !== undefined && now - since >= longestMs;
    },
  };
}

function isRepeated(text: string): boolean {
  const end = text.slice(-probe);
  const before = text.slice(-probe - longestUnit, -1).lastIndexOf(end);
  if (before === -1) return false;
  const period = longestUnit - before;
  const maxRepeats = /\p{L}{3}/u.test(text.slice(-2 * period)) ? maxWordRepeats : maxSignRepeats;
  const part = text.slice(-maxRepeats);
  return part.length === maxRepeats && part.slice(period) === part.slice(0, -period);
}
