import type { AgentId, SessionId } from "../../base/ids.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";

export interface AgentTask {
  readonly goal: string;
  readonly context?: string;
  readonly role: "leaf" | "orchestrator";
  readonly outputSchema?: JsonSchema;
}

/** Each child ends in exactly one of these, also when its parent died. */
export interface AgentReport {
  readonly agentId: AgentId;
  readonly sessionId: SessionId;
  readonly status: "completed" | "failed" | "interrupted" | "timeout";
  readonly summary: string;
  readonly durationMs: number;
}

export interface AgentSpawner {
  delegate(tasks: readonly AgentTask[], signal: AbortSignal): Promise<readonly AgentReport[]>;
  running(): readonly { readonly agentId: AgentId; readonly goal: string; readonly startedAt: number }[];
  steer(agentId: AgentId, text: string): boolean;
  stop(agentId: AgentId): boolean;
}
