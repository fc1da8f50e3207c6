import type { AgentId, CallId, SessionId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { TextSource } from "../safety/text-source.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";

/** The source of the sessions of child agents. */
export const agentSource = "subagent";

/** An orchestrator may start its own agents, down to the depth limit. */
export type AgentRole = "leaf" | "orchestrator";

/** The limits of one child. The limits of its parent apply too. */
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
  /** The name of an agent that is defined in a file. */
  readonly agent?: string;
  /** The toolsets of the child, limited to those of the parent. Default: all of them. */
  readonly toolsets?: readonly string[];
  /** The model of the child. Only allowed if the operator permits it. */
  readonly model?: string;
  /** The answer must be JSON that matches this schema. */
  readonly outputSchema?: JsonSchema;
  readonly maxIterations?: number;
  readonly budget?: AgentBudget;
  /** The child uses the terminal and browser of the parent. Default: its own. */
  readonly share?: boolean;
  /** The child works in its own git worktree, and its changes are returned as a patch. */
  readonly isolation?: "worktree";
  /** True if the child sees memory and context files. */
  readonly withKnowledge?: boolean;
}

/** The maximum length of the answer in a report; the rest is in a file. */
export const maxSummaryChars = 24_000;

/** `lost`: the program that ran the child crashed. */
export const agentEnds = ["completed", "failed", "timeout", "interrupted", "lost"] as const;
export type AgentEnd = (typeof agentEnds)[number];

/** The result of a child. Each child has exactly one report, stored in its own session, even if its parent crashed. */
export interface AgentReport {
  readonly agentId: AgentId;
  readonly sessionId: SessionId;
  readonly parentId: SessionId;
  /** The name of the agent file that defines the child. */
  readonly agent?: string;
  readonly goal: string;
  readonly role: AgentRole;
  readonly status: AgentEnd;
  /** The reason why the child ended without completing its work. */
  readonly why?: string;
  /** The answer or the last text of the child, limited to `maxSummaryChars` characters. */
  readonly summary: string;
  /** The file with the whole answer, if the summary is truncated. */
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
  /** The patch file with the changes that the child made in its worktree. */
  readonly patch?: string;
  readonly model: string;
  readonly modelCalls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly costUsd?: number;
  readonly startedAt: number;
  readonly durationMs: number;
  /** Untrusted sources that the child has read: its report may repeat their text. */
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
  /** The depth in the tree: 1 for the children of a session, 2 for their children. */
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
  /** The used tokens and the size of the child's context window. */
  readonly context?: { readonly tokens: number; readonly window: number };
  /** The running call, described in one line. */
  readonly doing?: string;
}

/** An agent that is defined in a file. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  readonly source: "bundled" | "home" | "project";
  readonly path: string;
  /** The toolsets or tools of the agent. Undefined: those of the parent. */
  readonly tools?: readonly string[];
  /** Tools that the agent never gets. */
  readonly withoutTools?: readonly string[];
  readonly model?: string;
  /** An approval mode that is at least as strict as that of the parent. */
  readonly permissions?: "readonly" | "manual";
  readonly prompt: string;
}

export interface AgentSpawn {
  /** The tool call of the parent that starts the children. */
  readonly callId: CallId;
  /** Background children outlive the call; their reports arrive as messages to the parent, each exactly once. */
  readonly isBackground: boolean;
  /** Aborting the signal ends the children that do not run in the background. */
  readonly signal: AbortSignal;
}

/** The children of one session. */
export interface AgentSpawner {
  /** The delegation settings that apply to this session. `depthLeft` is 0 in a session that cannot start agents. */
  readonly limits: { readonly batch: number; readonly concurrent: number; readonly depthLeft: number };
  /** The agents, defined in files, that this session can start. */
  definitions(): Promise<readonly AgentDefinition[]>;
  /**
   * Starts children. The settings limit how many run in parallel; the rest wait. After an error, no child was started.
   */
  spawn(tasks: readonly AgentTask[], options: AgentSpawn): Promise<Result<readonly AgentId[], string>>;
  /**
   * Waits for reports and returns them in the order of the ids. Undefined: that child was still running at the timeout.
   * Aborting ends only the wait.
   */
  wait(
    ids: readonly AgentId[],
    limits: {
      readonly timeoutMs?: number;
      readonly signal: AbortSignal;
      /**
       * The call whose result contains the reports. A report in a stored result is not delivered again as a message.
       */
      readonly callId?: CallId;
    },
  ): Promise<readonly (AgentReport | undefined)[]>;
  /** All descendants of the session, including those that have ended, oldest first. */
  list(): Promise<readonly AgentStatus[]>;
  /** Returns the report of a child that has ended. `callId` has the same meaning as for `wait`. */
  report(id: AgentId, callId?: CallId): Promise<AgentReport | undefined>;
  /** Sends a message to the running child after its next tool results. An error gives the reason. */
  steer(id: AgentId, text: string): Result<void, string>;
  /** Stops a child and its descendants. Resolves when their records are stored. */
  stop(id: AgentId, why: string): Promise<Result<void, string>>;
  /** Continues a finished child with its history, as a new run in the same session. */
  resume(id: AgentId, text: string, options: AgentSpawn): Promise<Result<AgentId, string>>;
}

/** The children of a session, for its host. */
export interface SessionAgentTree extends AgentSpawner {
  /** Background children that are running, or whose reports no turn has received yet. */
  undelivered(): readonly AgentId[];
}

/**
 * Events about child agents in the event stream of their parent. The last event of an agent contains its current state.
 */
export type AgentChanged = { readonly type: "agent.changed"; readonly agent: AgentStatus };
