import type { TurnId } from "../../base/ids.ts";
import type { Message } from "../../contracts/model/message.ts";
import { noUsage, type Usage } from "../../contracts/model/model.ts";
import type { TurnEnd, TurnOutcome } from "../../contracts/session/event.ts";

export interface TurnState {
  readonly id: TurnId;
  /** The text of the prompt. */
  readonly task: string;
  modelCalls: number;
  /** The last request to the model. */
  requestId: string;
  /** The number of answers whose calls ran, not counting retries. */
  steps: number;
  toolCalls: number;
  usage: Usage;
  /** Parts of an answer that was too long for one response. */
  answer: string[];
  /** Text next to bookkeeping calls. It is the answer if the model adds nothing afterwards. */
  saidBeside: string;
  /** Text for the next request only, never stored. It asks the model to continue. */
  aside: Message | undefined;
  /** How often each remedy was used since the model last made progress. */
  readonly tried: Map<Remedy, number>;
  /** True if a person denied a call of this turn. */
  isDeniedByPerson: boolean;
}

export type Remedy = "empty" | "longer" | "cut_off" | "as_text" | "bad_calls" | "verify";

export function newTurnState(id: TurnId, task: string): TurnState {
  return {
    id,
    task,
    modelCalls: 0,
    requestId: "",
    steps: 0,
    isDeniedByPerson: false,
    toolCalls: 0,
    usage: noUsage,
    answer: [],
    saidBeside: "",
    aside: undefined,
    tried: new Map(),
  };
}

/** Returns whether the remedy may be used again, and counts the use. */
export function tryRemedy(state: TurnState, remedy: Remedy, maxTries: number): boolean {
  const times = state.tried.get(remedy) ?? 0;
  state.tried.set(remedy, times + 1);
  return times < maxTries;
}

/** Resets the remedies, except those limited per turn. */
export function resetRemedies({ tried }: TurnState): void {
  for (const remedy of tried.keys()) if (remedy !== "verify") tried.delete(remedy);
}

export function addUsage(one: Usage, other: Usage): Usage {
  const costUsd =
    one.costUsd === undefined && other.costUsd === undefined ? undefined : (one.costUsd ?? 0) + (other.costUsd ?? 0);
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
    reasoning: one.reasoning + other.reasoning,
    ...(costUsd !== undefined && { costUsd }),
    ...((one.estimated || other.estimated) && { estimated: true }),
  };
}

export function outcomeOf(state: TurnState, reason: TurnEnd, why?: string): TurnOutcome {
  return {
    reason,
    text: state.answer.join(""),
    ...(why !== undefined && { why }),
    usage: state.usage,
    modelCalls: state.modelCalls,
    toolCalls: state.toolCalls,
  };
}
