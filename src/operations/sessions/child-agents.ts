import { storedRuns } from "../../agents/agent-card.ts";
import type { SessionId } from "../../base/ids.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { type AgentEnd, agentSource } from "../../contracts/session/agents.ts";
import type { SessionStore } from "../../contracts/session/session.ts";

/** A child agent, as linked from the session that started it. */
export interface LinkedAgent {
  readonly sessionId: SessionId;
  readonly agent?: string;
  readonly goal: string;
  /** The outcome. Undefined: the agent is running, or its program died. */
  readonly status?: AgentEnd;
}

/** The child agents of a stored session, oldest first. For a resumed child, its last run. */
export async function childAgents(
  store: Pick<SessionStore, "children" | "entries">,
  id: SessionId,
  who: Principal,
): Promise<readonly LinkedAgent[]> {
  const children = (await store.children(id, who)).filter(({ source }) => source === agentSource);
  const linked = children.map(async (child): Promise<readonly LinkedAgent[]> => {
    const run = storedRuns(await store.entries(child.id, "state")).at(-1);
    if (!run) return [];
    const { agent, goal } = run.card.task;
    return [{ sessionId: child.id, goal, ...withoutUndefined({ agent, status: run.report?.status }) }];
  });
  return (await Promise.all(linked)).flat();
}
