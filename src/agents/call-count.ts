import type { AgentId } from "../base/ids.ts";
import { plural } from "../base/text/text.ts";
import type { AgentStatus } from "../contracts/session/agents.ts";
import type { AgentEvent } from "../contracts/session/event.ts";

/** Counts the model calls of a turn: those of the session and of all agents below it. */
export interface CallCount {
  /** Follows the events of the session. */
  watch(event: AgentEvent): void;
  /** Called when a descendant changed. */
  below(status: AgentStatus): void;
  readonly countBelow: number;
  /** Returns why no agent below may call a model now. */
  refusal(): string | undefined;
}

export function createCallCount(maxCalls: number): CallCount {
  const seen = new Map<AgentId, number>();
  let own = 0;
  let countBelow = 0;
  return {
    watch({ type }) {
      if (type === "model.answered") own += 1;
      if (type !== "turn.started") return;
      own = 0;
      countBelow = 0;
    },
    below({ agentId, modelCalls, endedAt }) {
      countBelow += modelCalls - (seen.get(agentId) ?? 0);
      if (endedAt === undefined) seen.set(agentId, modelCalls);
      else seen.delete(agentId);
    },
    get countBelow() {
      return countBelow;
    },
    refusal: () =>
      own + countBelow < maxCalls
        ? undefined
        : `The agent that started this one used its ${plural(maxCalls, "model call")}, those of its agents included.`,
  };
}
