import type { TurnId } from "../../base/ids.ts";
import type { ModelFacts, ModelRequest, Usage } from "../../contracts/model.ts";
import type { ContextMeter } from "./context-keeper.ts";
import type { SessionLog } from "./session-log.ts";

/** Answers that ended in the middle: a person stopped them, or the connection broke. */
export interface BrokenOff {
  answers: number;
  /** That had come of them, thoughts and calls included. */
  chars: number;
}

/** Books what they cost, as far as it can be guessed: a provider is paid for them and tells nobody how much. */
export async function bookBrokenOff(
  { answers, chars }: BrokenOff,
  request: Omit<ModelRequest, "model">,
  { provider, model, price }: ModelFacts,
  turnId: TurnId,
  { log, meter }: { readonly log: SessionLog; readonly meter: ContextMeter },
): Promise<Usage> {
  const input = answers * meter.size(request).tokens;
  const output = Math.ceil(chars / charsPerToken);
  const cost = price && { costUsd: (input * price.input + output * price.output) / 1e6 };
  const usage = { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0, ...cost, estimated: true };
  await log.append([{ type: "usage", turnId, provider, model, task: "chat", usage }]);
  return usage;
}

const charsPerToken = 4;
