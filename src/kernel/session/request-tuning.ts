import type { RequestTuning } from "../../contracts/session/runtime.ts";

/** How the requests of a session are made; a person changes it while the session runs. */
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
