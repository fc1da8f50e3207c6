import type { Clock } from "../base/clock.ts";
import { err, ok, reasonOf } from "../base/result.ts";
import { cut, oneLine } from "../base/text/text.ts";
import type { BackgroundSession, BackgroundSessions } from "../contracts/session/background.ts";
import type { AgentEventBody } from "../contracts/session/event.ts";
import type { Session, Turn } from "../contracts/session/runtime.ts";

export interface BackgroundDeps {
  /** Opens a session that this one starts. Rejects with a sentence for a person. */
  open(): Promise<Session>;
  emit(event: AgentEventBody): void;
  /** Why no background session can be started. */
  readonly refusal?: string;
  readonly clock: Clock;
}

const maxRunning = 8;
/** The maximum number of ended sessions in the list. */
const maxKept = 50;
const noticeChars = 2_000;

export function createBackgroundSessions(deps: BackgroundDeps): BackgroundSessions {
  const { clock } = deps;
  let sessions: readonly BackgroundSession[] = [];
  let count = 0;
  const turns = new Map<number, Turn>();

  function change(changed: BackgroundSession): void {
    sessions = sessions.map((each) => (each.number === changed.number ? changed : each));
  }

  async function follow(session: Session, started: BackgroundSession, turn: Turn): Promise<void> {
    const { reason, text, why } = await turn.done;
    turns.delete(started.number);
    const answer = reason === "answered" ? text : [text, why ?? reason].filter((each) => each !== "").join("\n");
    change({ ...started, endedAt: clock.now(), end: reason, answer });
    const shown = cut(answer, noticeChars);
    const isWhole = shown === answer ? "" : `\n/background show ${started.number} shows all of it.`;
    const about = `Background ${started.number} (${oneLine(started.prompt, 60)})`;
    const state = reason === "answered" ? "is done" : "ended without an answer";
    deps.emit({
      type: "notice",
      level: reason === "answered" ? "info" : "warn",
      text: `${about} ${state}:\n${shown}${isWhole}`,
    });
    await session[Symbol.asyncDispose]();
  }

  return {
    list: () => sessions,
    async start(prompt) {
      if (deps.refusal !== undefined) return err({ message: deps.refusal });
      if (turns.size >= maxRunning) return err({ message: `${maxRunning} background sessions run already.` });
      try {
        const session = await deps.open();
        const started = { number: ++count, sessionId: session.id, prompt, startedAt: clock.now() };
        sessions = [...sessions.slice(-maxKept), started];
        const turn = session.prompt([{ type: "text", text: prompt }]);
        turns.set(started.number, turn);
        void follow(session, started, turn).catch(() => {});
        return ok(started);
      } catch (thrown) {
        return err({ message: reasonOf(thrown) });
      }
    },
    stop(number) {
      const running = sessions.find((each) => each.number === number);
      const turn = turns.get(number);
      if (!running) return err({ message: `There is no background session ${number}.` });
      if (!turn) return err({ message: `Background ${number} has ended already.` });
      turn.abort("stopped");
      return ok(running);
    },
  };
}
