import { once } from "../../../base/async/once.ts";
import type { BackgroundSessions } from "../../../contracts/session/background.ts";
import type { AgentEventBody } from "../../../contracts/session/event.ts";
import type { Session, SessionOptions } from "../../../contracts/session/runtime.ts";
import type { OpenedBackground } from "../../../sessions/background-sessions.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { OpenedRecord } from "./open-record.ts";

const source = "background";

/** The background sessions of a session, with those that earlier programs started. */
export interface OpenedSessionBackground extends BackgroundSessions, AsyncDisposable {
  restore(): Promise<void>;
}

/** Opens background sessions. Loads their modules when the first one opens. */
export function openBackground(
  { options, record, entries, principal, lease, parent, model }: OpenedRecord,
  of: { cwd(): string; emit(event: AgentEventBody): void; open(options: SessionOptions): Promise<Session> },
  { clock, sessions: store, logger: log }: SessionDeps,
): OpenedSessionBackground {
  let opened: OpenedBackground | undefined;
  const sessions = once(async () => {
    const { createBackgroundSessions } = await import("../../../sessions/background-sessions.ts");
    const refusal = parent || !lease ? "Only an interactive chat can start background sessions." : undefined;
    return (opened = createBackgroundSessions({
      emit: of.emit,
      store,
      clock,
      log,
      ...(refusal !== undefined && { refusal }),
      open(background) {
        const { provider, model: name } = model.facts();
        return of.open({
          source,
          principal,
          parent: record.id,
          childPlace: { kind: "own" },
          background,
          cwd: of.cwd(),
          model: `${provider}/${name}`,
          ...(options.tools && { tools: options.tools }),
          ...(options.reasoning && { reasoning: options.reasoning }),
          ...(options.ignoreRules && { ignoreRules: true }),
        });
      },
    }));
  });
  return {
    start: async (prompt) => (await sessions()).start(prompt),
    list: () => opened?.list() ?? [],
    stop: (number) => opened?.stop(number) ?? { ok: false, error: { message: "No background session runs." } },
    async restore() {
      if (entries.length === 0) return;
      const children = (await store.children(record.id, principal)).filter((each) => each.source === source);
      if (children.length > 0) await (await sessions()).restore(children);
    },
    [Symbol.asyncDispose]: async () => opened?.[Symbol.asyncDispose](),
  };
}
