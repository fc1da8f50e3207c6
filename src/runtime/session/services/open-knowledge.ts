import type { Services } from "../../../contracts/tool/services.ts";
import type { Learner } from "../../../learnings/learner.ts";
import { ownSearch, ownSessions } from "../../../sessions/own-sessions.ts";
import type { PersonalMemory } from "../../knowledge/open-memory.ts";
import type { SessionDeps } from "../session-deps.ts";
import type { OpenedWorkbench } from "../session-workbench.ts";
import type { OpenedRecord } from "./open-record.ts";

/** Third stage: memory, learnings, and the services that tools read them through. */
export interface OpenedKnowledge {
  readonly memory: PersonalMemory;
  readonly learner: Learner | undefined;
  readonly services: Pick<Services, "memory" | "skills" | "sessions" | "sessionSearch">;
}

export function openKnowledge(
  { principal, record }: OpenedRecord,
  { skills }: OpenedWorkbench,
  deps: SessionDeps,
): OpenedKnowledge {
  const { learnings, redactor, say, sessions, search } = deps;
  const memory = deps.memory(principal);
  return {
    memory,
    learner: learnings.learner({ principal, redactor }),
    services: {
      memory: memory.store({ by: "model", session: record.id }, say),
      skills: skills.library(),
      sessions: ownSessions(sessions, principal),
      sessionSearch: ownSearch(search, principal),
    },
  };
}
