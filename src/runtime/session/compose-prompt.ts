import type { Entry } from "../../contracts/session/session.ts";
import type { OpenedRecord } from "./services/open-record.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionModel } from "./session-model.ts";
import type { OpenedWorkbench } from "./session-workbench.ts";

type Prompted = Extract<Entry, { readonly type: "prompted" }>;

/** The prefix of every request of a session: the same bytes after a resume. */
export interface ComposedPrompt extends Required<Pick<Prompted, "system" | "tools">> {
  /** Files in a new prompt that count as untrusted text. */
  readonly suspects: readonly string[];
}

export async function composePrompt(
  { options, record, entries, catalog, lease, log }: OpenedRecord,
  { workbench }: OpenedWorkbench,
  model: SessionModel,
  { say, signal }: SessionDeps,
): Promise<ComposedPrompt> {
  const stored = entries.findLast((entry) => entry.type === "prompted");
  // Keeps the stored tools of a resumed session, so that the prefix stays the same; the model finds new tools by
  // search.
  if (stored) {
    const tools = options.tools ? catalog.definitions : (stored.tools ?? catalog.definitions);
    return { system: stored.system, tools, suspects: [] };
  }
  const { place } = await workbench.surroundings(signal);
  const { system, notices, suspects = [] } = await model.prompt({ place, source: options.source });
  for (const notice of notices) say(notice);
  const named = options.namesSessionId ? system.map(withSessionId(record.id)) : system;
  const composed = { system: named, tools: catalog.definitions };
  if (lease) await log.append([{ type: "prompted", ...composed }]);
  return { ...composed, suspects };
}

/** Adds the id to the last part, which is different in each session anyway. */
function withSessionId(id: string) {
  return <Part extends { readonly text: string }>(part: Part, index: number, parts: readonly Part[]): Part =>
    index < parts.length - 1 ? part : { ...part, text: `${part.text}\n\nThe id of this session is ${id}.`.trim() };
}
