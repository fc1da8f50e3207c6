import type { TurnId } from "../../../base/ids.ts";
import { type ModelFacts, type ModelRequest, noUsage, type Price, type Usage } from "../../../contracts/model/model.ts";
import type { ContextMeter } from "../context-keeper.ts";
import type { SessionLog } from "../record/session-log.ts";
import { addUsage } from "../turn-state.ts";

/** The model that answered. If it has no known price, the cost is unknown. */
export type AnsweringModel = Pick<ModelFacts, "provider" | "model" | "price">;

/** Answers to one request that ended early, because the user stopped them or the connection failed. */
export interface PartialAnswers {
  /** Adds an answer with this number of characters, including reasoning and calls. */
  add(chars: number, by: AnsweringModel): void;
  /** Records the estimated cost of these answers: the provider bills them without reporting usage. */
  book(): Promise<Usage>;
}

export function createPartialAnswers(
  request: Omit<ModelRequest, "model">,
  turnId: TurnId,
  { log, meter }: { readonly log: SessionLog; readonly meter: ContextMeter },
): PartialAnswers {
  let unbooked: { readonly chars: number; readonly by: AnsweringModel }[] = [];
  return {
    add: (chars, by) => void unbooked.push({ chars, by }),
    async book() {
      const answers = unbooked;
      unbooked = [];
      if (answers.length === 0) return noUsage;
      const entries = answers.map(({ chars, by: { provider, model, price } }) => {
        const usage = estimatePartialUsage(meter.size(request).tokens, chars, price);
        return { type: "usage", turnId, provider, model, task: "chat", usage } as const;
      });
      await log.append(entries);
      return entries.reduce((sum, { usage }) => addUsage(sum, usage), noUsage);
    },
  };
}

/** Estimates the cost of an answer that ended early, because no provider reports it. */
export function estimatePartialUsage(input: number, chars: number, price: Price | undefined): Usage {
  const output = Math.ceil(chars / charsPerToken);
  const cost = price && { costUsd: (input * price.input + output * price.output) / 1e6 };
  return { ...noUsage, input, output, ...cost, estimated: true };
}

export const charsPerToken = 4;
