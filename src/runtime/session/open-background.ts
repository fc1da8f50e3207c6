import { once } from "../../base/async/once.ts";
import type { BackgroundSessions } from "../../contracts/session/background.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { Session, SessionOptions } from "../../contracts/session/runtime.ts";
import type { createBackgroundSessions } from "../../sessions/background-sessions.ts";
import type { OpenedRecord } from "./open-record.ts";
import type { SessionDeps } from "./session-deps.ts";

const backgroundSource = "background";

/** The background sessions of a session; their code is loaded with the first one. */
export function openBackground(
  { options, record, principal, lease, parent, model }: OpenedRecord,
  of: { cwd(): string; emit(event: AgentEventBody): void; open(options: SessionOptions): Promise<Session> },
  { clock }: SessionDeps,
): BackgroundSessions {
  let opened: ReturnType<typeof createBackgroundSessions> | undefined;
  const sessions = once(async () => {
    const { createBackgroundSessions: create } = await import("../../sessions/background-sessions.ts");
    const refusal = parent || !lease ? "Only a chat that a person uses starts background sessions." : undefined;
    return (opened = create({
      emit: of.emit,
      clock,
      ...(refusal !== undefined && { refusal }),
      open() {
        const { provider, model: name } = model.facts();
        return of.open({
          source: backgroundSource,
          principal,
          parent: record.id,
          childPlace: { kind: "own" },
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
  };
}
