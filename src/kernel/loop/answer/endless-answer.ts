import type { Clock } from "../../../base/clock.ts";

/** Hears an answer while it comes. */
export interface EndlessAnswer {
  /** True when it has said the same over and over for so long that it will not end by itself. */
  heard(delta: string): boolean;
}

/** Words may be repeated for so many characters; lines, zeros and the like are drawn for longer. */
const mostWords = 8_000;
const mostSigns = 40_000;
/** Somebody may want a long text of one sentence: it is there soon. */
const longestMs = 60_000;
/** What is repeated is not longer, and is looked for in steps. */
const longestUnit = 400;
const step = 4_000;
/** So much of the end is looked for further up. */
const probe = 64;

export function createEndlessAnswer(clock: Pick<Clock, "elapsed">): EndlessAnswer {
  let tail = "";
  let waiting = 0;
  let since: number | undefined;

  return {
    heard(delta) {
      tail += delta;
      waiting += delta.length;
      if (waiting < step) return false;
      tail = tail.slice(-mostSigns);
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
  const most = /\p{L}{3}/u.test(text.slice(-2 * period)) ? mostWords : mostSigns;
  const part = text.slice(-most);
  return part.length === most && part.slice(period) === part.slice(0, -period);
}
