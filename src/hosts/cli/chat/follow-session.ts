import { systemClock } from "../../../base/clock.ts";
import type { AgentEvent } from "../../../contracts/session/event.ts";
import type { Session } from "../../../contracts/session/runtime.ts";

/** Shows the events of the current session of a chat. */
export interface SessionFollower {
  follow(session: Session): Promise<void>;
  /** Waits, for a limited time, until the last turn is shown to its end. */
  untilShown(): Promise<void>;
}

export interface FollowerParts {
  /** The session that the chat shows. */
  current(): Session;
  /** A promise holds back later events until it settles. It never rejects. */
  show(event: AgentEvent): Promise<void> | undefined;
  turnStarted(): void;
  turnShown(): void;
}

export function createSessionFollower({ current, show, turnStarted, turnShown }: FollowerParts): SessionFollower {
  /** Resolves when the turn that is being shown has ended. */
  let showing: PromiseWithResolvers<void> | undefined;
  return {
    async follow(session) {
      let own: typeof showing;
      for await (const event of session.events(0)) {
        if (session !== current()) continue;
        if (event.type === "turn.started") {
          turnStarted();
          own = showing = Promise.withResolvers();
        }
        const drawing = show(event);
        if (drawing) await drawing;
        if (event.type === "turn.finished") {
          turnShown();
          own?.resolve();
        }
      }
      // No event follows, so nobody waits for one.
      own?.resolve();
    },
    async untilShown() {
      // Events arrive a moment after the outcome of their turn.
      await new Promise(setImmediate);
      if (!showing) return;
      using _limit = systemClock.after(maxShowMs, showing.resolve);
      await showing.promise;
    },
  };
}

/** A person who leaves does not wait longer for a slow terminal. */
const maxShowMs = 10_000;
