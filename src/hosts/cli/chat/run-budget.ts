import { systemClock } from "../../../base/clock.ts";
import type { Session, Turn } from "../../../contracts/session/runtime.ts";

export interface RunBudget extends Disposable {
  /** True: the time is over, and the turn was ended because of it. */
  readonly isUsedUp: boolean;
  readonly why: string;
}

/** At this share of the time, the agent is asked once to finish. */
const noticeShare = 0.8;

/** Starts the timer now. Without a number of seconds there is no limit. */
export function startRunBudget(
  seconds: number | undefined,
  session: Pick<Session, "steer" | "turn">,
  turn: () => Turn,
  clock = systemClock,
): RunBudget {
  const why = `The run budget of ${seconds} s is used up.`;
  if (seconds === undefined) return { isUsedUp: false, why, [Symbol.dispose]() {} };
  let isUsedUp = false;
  const leftSeconds = Math.max(1, Math.round(seconds * (1 - noticeShare)));
  const notice = `About ${leftSeconds} s are left for this run. Finish now: stop starting new work, and answer with what you have.`;
  using timers = new DisposableStack();
  timers.use(
    clock.after(seconds * noticeShare * 1_000, () => {
      if (session.turn) session.steer([{ type: "text", text: notice }]);
    }),
  );
  timers.use(
    clock.after(seconds * 1_000, () => {
      isUsedUp = session.turn !== undefined;
      turn().abort("run budget");
    }),
  );
  const held = timers.move();
  return {
    get isUsedUp() {
      return isUsedUp;
    },
    why,
    [Symbol.dispose]: () => held.dispose(),
  };
}
