import type { Clock } from "../base/clock.ts";
import type { AgentId } from "../base/ids.ts";
import type { AgentStatus } from "../contracts/session/agents.ts";

/** Passes on every state change immediately, and progress at most once per interval, but always the last one. */
export interface EventPace extends Disposable {
  change(status: AgentStatus): void;
}

export function createEventPace(clock: Clock, emit: (status: AgentStatus) => void): EventPace {
  const agents = new Map<AgentId, { state: AgentStatus["state"]; timer?: Disposable; next?: AgentStatus }>();

  function pass(status: AgentStatus): void {
    agents.get(status.agentId)?.timer?.[Symbol.dispose]();
    const isOver = status.endedAt !== undefined;
    if (isOver) agents.delete(status.agentId);
    else {
      const timer = clock.after(intervalMs, () => {
        const paced = agents.get(status.agentId);
        if (!paced) return;
        delete paced.timer;
        if (paced.next) pass(paced.next);
      });
      agents.set(status.agentId, { state: status.state, timer });
    }
    emit(status);
  }

  return {
    change(status) {
      const paced = agents.get(status.agentId);
      if (paced?.timer && paced.state === status.state) paced.next = status;
      else pass(status);
    },
    [Symbol.dispose]() {
      for (const { timer } of agents.values()) timer?.[Symbol.dispose]();
      agents.clear();
    },
  };
}

const intervalMs = 250;
