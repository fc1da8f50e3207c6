import type { TurnCompanion } from "../../contracts/session/turn-companion.ts";
import { afterFirstTurn } from "../../contracts/session/turn-companion.ts";
import { modelCompanion } from "../../sessions/model-companion.ts";
import { personalityCompanion } from "../../sessions/personality-companion.ts";
import { freeTitle } from "../../sessions/session-title.ts";
import { titleCompanion } from "../../sessions/title-companion.ts";
import { learningCompanions } from "../knowledge/learning-companions.ts";
import { referenceCompanion } from "../mcp/server-content.ts";
import type { OpenedKnowledge } from "./services/open-knowledge.ts";
import type { OpenedRecord } from "./services/open-record.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionModel } from "./session-model.ts";
import type { SessionRequests } from "./session-requests.ts";
import type { OpenedWorkbench } from "./session-workbench.ts";

export interface CompanionStages {
  readonly opened: OpenedRecord;
  readonly bench: OpenedWorkbench;
  readonly knowledge: OpenedKnowledge;
  readonly sessionModel: SessionModel;
  readonly requests: SessionRequests;
}

/** Background work of a session besides its turns. A replay has none: the recording contains its results. */
export function openCompanions(stages: CompanionStages, deps: SessionDeps): readonly TurnCompanion[] {
  const { opened, bench, knowledge, requests } = stages;
  const { options, record, model, lease, log } = opened;
  if (options.source === "replay") return [];
  const { refresh } = deps.parts;
  const hasMemory = opened.child?.plan.task.withKnowledge ?? true;
  return [
    bench.skills.companion,
    ...(hasMemory ? knowledge.memory.companion({ session: record.id, say: deps.say }) : []),
    modelCompanion({
      first: record.model ?? "",
      model: () => model.facts(),
      history: () => log.history.messages,
    }),
    personalityCompanion({
      chosen: () => requests.tuning.current().personality,
      history: () => log.history.messages,
    }),
    referenceCompanion({
      fleet: deps.mcp,
      taint: (source) => deps.live.get(record.id)?.taint(source),
      say: deps.say,
    }),
    ...(lease ? titles(stages, deps) : []),
    ...(titledSources.has(options.source) && refresh ? [afterFirstTurn(refresh)] : []),
    ...(lease ? learning(stages, deps) : []),
  ];
}

/** Sources whose sessions get a generated title, because users look them up by title. */
const titledSources: ReadonlySet<string> = new Set(["cli"]);

function titles({ opened, sessionModel }: CompanionStages, deps: SessionDeps): readonly TurnCompanion[] {
  const { options, record, principal, model, log } = opened;
  const { sessions, redactor, clock, logger } = deps;
  const { enabled, language } = deps.config.values.auxiliary.title_generation;
  if (!enabled || !titledSources.has(options.source) || record.title !== undefined) return [];
  return [
    titleCompanion({
      auxiliary: sessionModel.auxiliary,
      language,
      isOffline: () => model.facts().offline === true,
      current: async () => (await sessions.get(record.id, principal))?.title,
      async keep(requested) {
        const title = await freeTitle(requested, record, sessions);
        if (title.ok) await log.append([{ type: "titled", title: title.value, by: "model" }]);
      },
      redactor,
      clock,
      log: logger,
    }),
  ];
}

function learning(stages: CompanionStages, deps: SessionDeps): readonly TurnCompanion[] {
  const { opened, bench, knowledge, requests } = stages;
  const { options, record, principal, catalog, log, model } = opened;
  return learningCompanions(deps.config, {
    asked: options,
    sessionId: record.id,
    principal,
    catalog,
    log,
    workbench: bench.workbench,
    memory: knowledge.memory,
    skills: bench.skills,
    say: deps.say,
    clock: deps.clock,
    logger: deps.logger,
    learnings: deps.learnings,
    models: deps.parts.models,
    model: () => model.beside ?? model,
    request: requests.request,
    refusal: requests.refusal,
  });
}
