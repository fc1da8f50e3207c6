import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import type { Logger } from "../base/log/log.ts";
import { err, ok, reasonOf } from "../base/result.ts";
import { cut, oneLine } from "../base/text/text.ts";
import type { BackgroundSession, BackgroundSessions } from "../contracts/session/background.ts";
import type { AgentEventBody } from "../contracts/session/event.ts";
import type { Session, Turn } from "../contracts/session/runtime.ts";
import type { SessionRecord, SessionStore } from "../contracts/session/session.ts";
import { answerIn, backgroundEntry, storedBackground } from "./stored-background.ts";

export interface BackgroundDeps {
  /** Opens a session that this one starts. `name`: its number and prompt. Rejects with a sentence for the user. */
  open(name: string): Promise<Session>;
  emit(event: AgentEventBody): void;
  /** The reason why no background session can be started. */
  readonly refusal?: string;
  readonly store: Pick<SessionStore, "append" | "entries" | "path" | "lease">;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The background sessions of a session. Disposing stops the running ones; their ends are stored, and the next program
 * that opens the session reports them.
 */
export interface OpenedBackground extends BackgroundSessions, AsyncDisposable {
  /** Lists the background sessions of earlier programs, and reports each end that nobody has seen yet. */
  restore(children: readonly SessionRecord[]): Promise<void>;
}

const maxRunning = 8;
/** The maximum number of ended sessions in the list. */
const maxKept = 50;
const maxNameChars = 60;
const noticeChars = 2_000;

export function createBackgroundSessions(deps: BackgroundDeps): OpenedBackground {
  const { clock, store } = deps;
  let sessions: readonly BackgroundSession[] = [];
  let count = 0;
  let isClosed = false;
  const turns = new Map<number, Turn>();
  const following = new Set<Promise<void>>();

  function change(changed: BackgroundSession): void {
    sessions = sessions.map((each) => (each.number === changed.number ? changed : each));
  }

  /**
   * The state is stored in the record of the background session itself, so that a crash of this program, or an undo in
   * this session, cannot separate the two.
   */
  async function keep(session: BackgroundSession, isReported: boolean): Promise<void> {
    try {
      await store.append(session.sessionId, [backgroundEntry(session, isReported)]);
    } catch (thrown) {
      deps.log.error("background.not_stored", { session: session.sessionId, error: reasonOf(thrown) });
    }
  }

  async function follow(session: Session, started: BackgroundSession, turn: Turn): Promise<void> {
    const { reason, text, why } = await turn.done;
    turns.delete(started.number);
    const answer = reason === "answered" ? text : [text, why ?? reason].filter((each) => each !== "").join("\n");
    const ended = { ...started, endedAt: clock.now(), end: reason, answer };
    change(ended);
    await keep(ended, false);
    if (!isClosed) {
      deps.emit(endNotice(ended));
      await keep(ended, true);
    }
    await session[Symbol.asyncDispose]();
  }

  /**
   * Returns a background session of an earlier program: as it was stored, or as its record shows it if that program was
   * killed.
   */
  async function restored(id: SessionId): Promise<void> {
    const stored = storedBackground(id, await store.entries(id, "state"));
    if (!stored) return;
    const { session, isReported } = stored;
    count = Math.max(count, session.number);
    const ended = session.end === undefined ? { ...session, ...answerIn(await store.path(id)) } : session;
    sessions = [...sessions, ended].toSorted((a, b) => a.number - b.number).slice(-maxKept);
    if (isReported) return;
    // Somebody continues it in another program, and sees its answer there.
    const lease = await store.lease(id, "background");
    if (!lease.ok) return;
    await using _held = lease.value;
    deps.emit(endNotice(ended));
    await keep(ended, true);
  }

  return {
    list: () => sessions,
    async start(prompt) {
      if (deps.refusal !== undefined) return err({ message: deps.refusal });
      if (turns.size >= maxRunning) return err({ message: `${maxRunning} background sessions run already.` });
      try {
        const number = ++count;
        const session = await deps.open(`${number} (${oneLine(prompt, maxNameChars)})`);
        const started = { number, sessionId: session.id, prompt, startedAt: clock.now() };
        sessions = [...sessions, started].slice(-maxKept);
        await keep(started, false);
        const turn = session.prompt([{ type: "text", text: prompt }]);
        turns.set(started.number, turn);
        const followed = follow(session, started, turn)
          .catch((thrown: unknown) => deps.log.error("background.failed", { error: reasonOf(thrown) }))
          .finally(() => following.delete(followed));
        following.add(followed);
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
    async restore(children) {
      for (const { id } of children.slice(-maxKept)) await restored(id);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const turn of turns.values()) turn.abort("the session was closed");
      await Promise.all(following);
    },
  };
}

function endNotice({ number, sessionId, prompt, end, answer = "" }: BackgroundSession): AgentEventBody {
  const isAnswered = end === "answered";
  const shown = cut(answer, noticeChars);
  const rest = [
    ...(shown === answer ? [] : [`/background show ${number} shows all of it.`]),
    ...(isAnswered ? [] : [`hermes -r ${sessionId} continues it.`]),
  ];
  const state = isAnswered ? "is done" : "ended without an answer";
  return {
    type: "notice",
    level: isAnswered ? "info" : "warn",
    text: [`Background ${number} (${oneLine(prompt, 60)}) ${state}:`, shown, ...rest].join("\n"),
  };
}
