import { findPersonality } from "../../config/personalities/find-personality.ts";
import type { Message } from "../../contracts/model/message.ts";
import { effortNamed, type ModelRequest, noUsage } from "../../contracts/model/model.ts";
import type { SpendGuard } from "../../kernel/loop/spend-guard.ts";
import { createTuningDial, type TuningDial } from "../../kernel/session/request-tuning.ts";
import type { ComposedPrompt } from "./compose-prompt.ts";
import type { OpenedRecord } from "./services/open-record.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionModel } from "./session-model.ts";

/** How a session calls its model: the prefix of each request, and whether it is allowed. */
export interface SessionRequests {
  request(messages: readonly Message[]): Omit<ModelRequest, "model">;
  /** The reason why the budget forbids a request now. */
  refusal(): Promise<string | undefined>;
  readonly prompt: ComposedPrompt;
  readonly tuning: TuningDial;
  /** The maximum number of model calls in a turn. */
  readonly maxModelCalls: number;
  readonly spend: SpendGuard;
}

export function sessionRequests(
  opened: Pick<OpenedRecord, "options" | "record" | "entries">,
  prompt: ComposedPrompt,
  model: SessionModel,
  spend: SpendGuard,
  { config: { values } }: SessionDeps,
): SessionRequests {
  const { options, record } = opened;
  const { agent, display } = values;
  const personality = opened.entries.length === 0 ? findPersonality(display.personality, { values }) : undefined;
  const tuning = createTuningDial({
    reasoning: options.reasoning ?? effortNamed(agent.reasoning_effort) ?? "auto",
    isFast: agent.service_tier === "fast",
    ...(personality && { personality: { name: personality.name, text: personality.text } }),
  });
  return {
    tuning,
    prompt,
    spend,
    maxModelCalls: options.maxTurns ?? values.agent.max_turns,
    refusal: () => spend.refusal(noUsage),
    request(messages) {
      const { reasoning, isFast } = tuning.current();
      return {
        system: prompt.system,
        messages,
        tools: prompt.tools,
        cacheMarks: model.cacheMarks(messages),
        conversation: record.id,
        ...(model.cacheTtl && { cacheTtl: model.cacheTtl }),
        ...(reasoning !== "auto" && { reasoning }),
        ...(isFast && { isFast }),
      };
    },
  };
}
