import type { SessionTap } from "../../../contracts/session/session-tap.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { SessionRequests } from "../session-requests.ts";
import type { OpenedRecord } from "./open-record.ts";

/** The recorder or replay of a session; a pass-through if neither is requested. */
export async function openTap(
  { options, record, lease, log, model }: OpenedRecord,
  { prompt, maxModelCalls }: SessionRequests,
  { parts, sessions, redactor }: SessionDeps,
): Promise<SessionTap> {
  const tap =
    lease &&
    (await parts.tap?.({
      record,
      history: log.history.messages,
      system: prompt.system,
      tools: prompt.tools,
      model: model.facts(),
      modelCalls: maxModelCalls,
      ...(options.record !== undefined && { wish: options.record }),
      entries: () => sessions.path(record.id),
      redact: (text) => redactor.redact(text),
    }));
  return tap ?? noTap;
}

const noTap: SessionTap = {
  model: (client) => client,
  dispatcher: (dispatcher) => dispatcher,
  engine: (engine) => engine,
  watch() {},
  note() {},
  async [Symbol.asyncDispose]() {},
};
