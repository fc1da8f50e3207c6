import type { AgentId, CallId, SessionId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { TextSource } from "../safety/text-source.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";

/** The source of the sessions of child agents. */
export const agentSource = "subagent";

/** An orchestrator may start its own agents, down to the depth limit. */
export type AgentRole = "leaf" | "orchestrator";

/** Limits of one child, within those of its parent. */
export interface AgentBudget {
  readonly costUsd?: number;
  readonly tokens?: number;
  readonly seconds?: number;
}

/** Work for a child agent. */
export interface AgentTask {
  readonly goal: string;
  readonly context?: string;
  readonly role: AgentRole;
  /** An agent of a file, by name. */
  readonly agent?: string;
  /** Within those of the parent. Default: all of them. */
  readonly toolsets?: readonly string[];
  /** Only allowed if the operator permits it. */
  readonly model?: string;
  /** The answer must be JSON that matches this schema. */
  readonly outputSchema?: JsonSchema;
  readonly maxIterations?: number;
  readonly budget?: AgentBudget;
  /** The child uses the terminal and browser of the parent. Default: its own. */
  readonly share?: boolean;
  /** The child works in its own git worktree, and its changes are returned as a patch. */
  readonly isolation?: "worktree";
  /** It sees memory and context files. */
  readonly withKnowledge?: boolean;
}

/** The maximum length of the answer in a report; the rest is in a file. */
export const maxSummaryChars = 24_000;

/** `lost`: the program that ran it died. */
export const agentEnds = ["completed", "failed", "timeout", "interrupted", "lost"] as const;
export type AgentEnd = (typeof agentEnds)[number];

/** Each child has exactly one report, stored in its own session, even if its parent died. */
export interface AgentReport {
  readonly agentId: AgentId;
  readonly sessionId: SessionId;
  readonly parentId: SessionId;
  /** The agent of a file that it is. */
  readonly agent?: string;
  readonly goal: string;
  readonly role: AgentRole;
  readonly status: AgentEnd;
  /** Why it ended, unless it completed. */
  readonly why?: string;
  /** The answer, or the last text of the child: the first `maxSummaryChars` characters. */
  readonly summary: string;
  /** The file with the whole answer, if the summary is cut. */
  readonly spill?: string;
  /** The answer as data that matches the requested schema. */
  readonly output?: JsonValue;
  readonly findings: readonly string[];
  readonly filesChanged: readonly string[];
  readonly commandsRun: readonly string[];
  readonly toolTrace: readonly {
    readonly tool: string;
    readonly argsBytes: number;
    readonly resultBytes: number;
    readonly status: "ok" | "failed" | "denied";
  }[];
  /** The file with the changes in its worktree. */
  readonly patch?: string;
  readonly model: string;
  readonly modelCalls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly costUsd?: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Untrusted texts that it read: its report may repeat them. */
  readonly readTexts?: readonly TextSource[];
}

/** The progress of a child, for the tree of agents. */
export interface AgentStatus {
  readonly agentId: AgentId;
  readonly sessionId?: SessionId;
  /** The call that started it, in the session of its parent. */
  readonly callId: CallId;
  /** The agent that started it. Undefined: the session itself. */
  readonly parentAgentId?: AgentId;
  /** 1 for the children of a session, 2 for theirs. */
  readonly depth: number;
  readonly agent?: string;
  readonly goal: string;
  readonly role: AgentRole;
  readonly isBackground: boolean;
  readonly state: "waiting" | "running" | AgentEnd;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  readonly costUsd?: number;
  /** How full its window is. */
  readonly context?: { readonly tokens: number; readonly window: number };
  /** The call that runs, in one line. */
  readonly doing?: string;
}

/** An agent that a file describes. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  readonly source: "bundled" | "home" | "project";
  readonly path: string;
  /** Toolsets or tools. Undefined: those of the parent. */
  readonly tools?: readonly string[];
  /** Tools that it never has. */
  readonly withoutTools?: readonly string[];
  readonly model?: string;
  /** An approval mode that is at least as strict as that of the parent. */
  readonly permissions?: "readonly" | "manual";
  readonly prompt: string;
}

export interface AgentSpawn {
  /** The call of the parent that starts them. */
  readonly callId: CallId;
  /** Background children outlive the call; their reports arrive as messages to the parent, each exactly once. */
  readonly isBackground: boolean;
  /** Aborting it ends children that are not in the background. */
  readonly signal: AbortSignal;
}

/** The children of one session. */
export interface AgentSpawner {
  /** The settings as they apply to this session. `depthLeft`: 0 in a leaf. */
  readonly limits: { readonly batch: number; readonly concurrent: number; readonly depthLeft: number };
  /** The agents, defined in files, that this session can start. */
  definitions(): Promise<readonly AgentDefinition[]>;
  /** Starts children, as many in parallel as the settings allow; the rest wait. An error starts none. */
  spawn(tasks: readonly AgentTask[], options: AgentSpawn): Promise<Result<readonly AgentId[], string>>;
  /**
   * Reports in the order of the ids. Undefined: that child still runs when the time is over. Aborting ends only the
   * wait.
   */
  wait(
    ids: readonly AgentId[],
    limits: {
      readonly timeoutMs?: number;
      readonly signal: AbortSignal;
      /** The call whose result has the reports. A report that a stored result has does not arrive as a message. */
      readonly callId?: CallId;
    },
  ): Promise<readonly (AgentReport | undefined)[]>;
  /** All descendants of the session, including those that have ended, oldest first. */
  list(): Promise<readonly AgentStatus[]>;
  /** The report of a child that has ended. `callId`: as for `wait`. */
  report(id: AgentId, callId?: CallId): Promise<AgentReport | undefined>;
  /** Sends a message to the running child after its next tool results. An error gives the reason. */
  steer(id: AgentId, text: string): Result<void, string>;
  /** Ends a child and its children, and returns when their records are stored. */
  stop(id: AgentId, why: string): Promise<Result<void, string>>;
  /** Continues a finished child with its history, as a new run of the same session. */
  resume(id: AgentId, text: string, options: AgentSpawn): Promise<Result<AgentId, string>>;
}

/** The children of a session, for its host. */
export interface SessionAgentTree extends AgentSpawner {
  /** Children in the background that run, or whose reports no turn has received yet. */
  undelivered(): readonly AgentId[];
}

/** Changes of child agents in the events of their parent. The last event for an agent applies. */
export type AgentChanged = { readonly type: "agent.changed"; readonly agent: AgentStatus };
