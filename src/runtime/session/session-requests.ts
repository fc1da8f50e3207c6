import type { Message } from "../../contracts/model/message.ts";
import { effortNamed, type ModelRequest, noUsage } from "../../contracts/model/model.ts";
import type { SpendGuard } from "../../kernel/loop/spend-guard.ts";
import type { ComposedPrompt } from "./compose-prompt.ts";
import type { OpenedRecord } from "./open-record.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionModel } from "./session-model.ts";

/** How a session calls its model: the prefix of each request, and whether it is allowed. */
export interface SessionRequests {
  request(messages: readonly Message[]): Omit<ModelRequest, "model">;
  /** The reason why the budget forbids a request now. */
  refusal(): Promise<string | undefined>;
  readonly prompt: ComposedPrompt;
  /** The maximum number of model calls in a turn. */
  readonly maxModelCalls: number;
  readonly spend: SpendGuard;
}

export function sessionRequests(
  { options, record }: OpenedRecord,
  prompt: ComposedPrompt,
  model: SessionModel,
  spend: SpendGuard,
  { config: { values } }: SessionDeps,
): SessionRequests {
  // `auto` leaves the effort to the provider.
  const reasoning = options.reasoning ?? effortNamed(values.agent.reasoning_effort);
  return {
    prompt,
    spend,
    maxModelCalls: options.maxTurns ?? values.agent.max_turns,
    refusal: () => spend.refusal(noUsage),
    request: (messages) => ({
      system: prompt.system,
      messages,
      tools: prompt.tools,
      cacheMarks: model.cacheMarks(messages),
      conversation: record.id,
      ...(model.cacheTtl && { cacheTtl: model.cacheTtl }),
      ...(reasoning && { reasoning }),
    }),
  };
}
