import type { RequestTuning } from "../../contracts/session/runtime.ts";

/** Settings for the requests of a session; a user can change them while the session runs. */
export interface TuningDial {
  current(): RequestTuning;
  change(change: Partial<RequestTuning>): void;
}

export function createTuningDial(first: RequestTuning): TuningDial {
  let tuning = first;
  return {
    current: () => tuning,
    change: (change) => void (tuning = { ...tuning, ...change }),
  };
}
