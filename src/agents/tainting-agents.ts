import type { TurnTaint } from "../contracts/safety/text-source.ts";
import type { AgentReport, AgentSpawner } from "../contracts/session/agents.ts";

/** The same agents for one turn: reading a report also taints the turn with the untrusted texts that the child read. */
export function taintingAgents(agents: AgentSpawner, record: TurnTaint["record"]): AgentSpawner {
  const read = <R extends AgentReport | undefined>(report: R): R => {
    for (const source of report?.readTexts ?? []) record(source);
    return report;
  };
  return {
    ...agents,
    wait: async (ids, limits) => (await agents.wait(ids, limits)).map(read),
    report: async (id, callId) => read(await agents.report(id, callId)),
  };
}
