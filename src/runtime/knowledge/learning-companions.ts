import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelClient, ModelRequest, ModelSource } from "../../contracts/model/model.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SessionOptions } from "../../contracts/session/runtime.ts";
import type { TurnCompanion } from "../../contracts/session/turn-companion.ts";
import type { CallScope } from "../../contracts/tool/dispatch.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import { toolMessage } from "../../kernel/dispatch/result/render.ts";
import type { SessionLog } from "../../kernel/loop/record/session-log.ts";
import { reviewCompanion } from "../../learnings/background-review.ts";
import { feedbackCompanion } from "../../learnings/feedback-companion.ts";
import type { Workbench } from "../calls/open-workbench.ts";
import type { OpenedLearnings } from "./open-learnings.ts";
import type { PersonalMemory } from "./open-memory.ts";
import type { SessionSkills } from "./session-skills.ts";

export interface LearningCompanionsOptions {
  readonly asked: Pick<SessionOptions, "asker" | "source">;
  readonly sessionId: SessionId;
  readonly principal: Principal;
  readonly catalog: Catalog;
  readonly log: SessionLog;
  readonly workbench: Workbench;
  readonly learnings: OpenedLearnings;
  readonly memory: PersonalMemory;
  readonly skills: SessionSkills;
  readonly models: ModelSource;
  model(): ModelClient;
  /** Builds a request in the same way as the session. */
  request(messages: readonly Message[]): Omit<ModelRequest, "model">;
  refusal(): Promise<string | undefined>;
  readonly say: (sentence: string) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The companions that ask for feedback and review the session, if the settings enable them. */
export function learningCompanions(config: LoadedConfig, of: LearningCompanionsOptions): readonly TurnCompanion[] {
  // One-shot sessions have no review, because the program ends before it could run.
  if (of.asked.source !== "cli") return [];
  return [...feedback(config, of), ...review(config, of)];
}

function feedback(
  { values: { feedback: settings } }: LoadedConfig,
  of: LearningCompanionsOptions,
): readonly TurnCompanion[] {
  const { asked: request, log, learnings, catalog, clock, logger } = of;
  if (!settings.enabled || !request.asker) return [];
  return [
    feedbackCompanion({
      asker: request.asker,
      settings: {
        minToolCalls: settings.min_tool_calls,
        minRecovered: settings.min_recovered,
        intervalMs: settings.interval_minutes * 60_000,
      },
      history: () => log.history.messages,
      append: (entry) => log.append([entry]),
      rate: async (skills, rating) => (await learnings.store()).rate(skills, rating),
      canSaveSkill: catalog.has("skill_manage") && of.model().facts().offline !== true,
      canRemember: catalog.has("memory") && of.model().facts().offline !== true,
      clock,
      log: logger,
    }),
  ];
}

function review({ values }: LoadedConfig, of: LearningCompanionsOptions): readonly TurnCompanion[] {
  const { sessionId, principal, catalog, log, workbench, memory, skills, models, clock, logger, say } = of;
  const settings = {
    memoryTurns: catalog.has("memory") ? values.memory.nudge_interval : 0,
    skillCalls: catalog.has("skill_manage") ? values.skills.creation_nudge_interval : 0,
  };
  if (settings.memoryTurns === 0 && settings.skillCalls === 0) return [];
  const { provider, model: name } = values.auxiliary.background_review;
  return [
    reviewCompanion({
      settings,
      toolMessage,
      async model() {
        const main = of.model();
        if (main.facts().offline === true) return undefined;
        if (name === "" || provider === "main") return { client: main, isMain: true };
        const opened = await models.open(provider === "auto" ? name : `${provider}/${name}`);
        return opened.ok
          ? { client: opened.value.beside ?? opened.value, isMain: false }
          : { client: main, isMain: true };
      },
      request: of.request,
      history: () => log.history.messages,
      dispatcher: workbench.dispatcher,
      async scope(signal): Promise<CallScope> {
        const { services, ...surroundings } = await workbench.surroundings(signal);
        const by = { by: "background", session: sessionId } as const;
        return {
          ...surroundings,
          catalog,
          sessionId,
          principal,
          origin: "model",
          services: { ...services, memory: memory.store(by, say), skills: skills.library("background") },
          signal,
          emit() {},
        };
      },
      book: async (usage) => void (await log.append([{ type: "usage", ...usage }])),
      refusal: of.refusal,
      say,
      clock,
      log: logger,
    }),
  ];
}
