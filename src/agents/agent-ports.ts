import type { Clock } from "../base/clock.ts";
import type { AgentId, SessionId } from "../base/ids.ts";
import type { Logger } from "../base/log/log.ts";
import type { HookBus } from "../contracts/host/hook.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { TextSource } from "../contracts/safety/text-source.ts";
import type { AgentDefinition, AgentRole, AgentStatus, AgentTask } from "../contracts/session/agents.ts";
import type { ChildPlace } from "../contracts/session/child-place.ts";
import type { AgentEventBody } from "../contracts/session/event.ts";
import type { Session } from "../contracts/session/runtime.ts";
import type { Entry, Lease, SessionRecord, SessionStore } from "../contracts/session/session.ts";

/** The settings of child agents. */
export interface AgentSettings {
  readonly batch: number;
  readonly concurrent: number;
  /** The maximum levels of children below a session. */
  readonly depth: number;
  readonly maxIterations: number;
  /** Undefined means no limit. */
  readonly maxSeconds?: number;
  /** The model of child agents. Default: the model of the parent. */
  readonly model?: string;
  /** Models that a task may select. */
  readonly models: readonly string[];
  /** A child without an event for this time is ended. */
  readonly idleMs: number;
  /** A child that spends this time in one tool call is ended. */
  readonly toolMs: number;
}

/** The tools of a child, within those of its parent. */
export interface NarrowedTools {
  readonly only?: readonly string[];
  readonly never: readonly string[];
}

/** The session that starts children. */
export interface ParentFacts {
  readonly sessionId: SessionId;
  readonly principal: Principal;
  /** False if another process has the session open. */
  readonly isWritable: boolean;
  /** Set if the session is itself a child. */
  readonly agentId?: AgentId;
  /** The depth; 0 for a session that a user or program opened. */
  readonly depth: number;
  /** Undefined for a session that is not a child. */
  readonly role?: AgentRole;
  readonly tools: NarrowedTools;
  cwd(): string;
  /** The model as `provider/model`. */
  model(): string;
  hasTool(name: string): boolean;
  toolsIn(toolset: string): ReadonlySet<string> | undefined;
  /** Returns why neither this session nor its children may call a model now. */
  refusal(): Promise<string | undefined>;
}

/** A planned child with everything that determines its permissions. */
export interface ChildPlan {
  readonly agentId: AgentId;
  readonly task: AgentTask;
  readonly definition?: AgentDefinition;
  readonly role: AgentRole;
  readonly depth: number;
  readonly tools: NarrowedTools;
  readonly model: string;
  readonly permissions?: AgentDefinition["permissions"];
  readonly maxIterations: number;
  readonly maxSeconds?: number;
  /** The first text of the child's system prompt. */
  readonly identity: string;
  /** The earlier run that this run continues. */
  readonly resumes?: AgentId;
}

/** The changes that a child made in its copy of the project. */
export interface CollectedWork {
  /** The patch file with the changes. */
  readonly patch?: string;
  /** The changed files, relative to the root of the project. */
  readonly filesChanged?: readonly string[];
}

/** The environment in which a child works. */
export interface ChildWorkplace {
  readonly place: ChildPlace;
  /** Called when the child has ended but its session is still open. */
  finish?(): Promise<CollectedWork>;
  /** Called when the child's session is closed. */
  close?(): Promise<void>;
}

/** A child session that is about to open: its record exists, and this process may write to it. */
export interface ChildOpening {
  readonly plan: ChildPlan;
  readonly record: SessionRecord;
  readonly lease: Lease;
  readonly workplace: ChildWorkplace;
  /** The sources of untrusted text that the parent has read. */
  readonly readTexts: readonly TextSource[];
  /** Called before each model call of the child. Returns why the call must not be made. */
  refusal(): Promise<string | undefined>;
  /** Receives the progress of the child's own children. */
  relay(status: AgentStatus): void;
}

export interface AgentPorts {
  readonly parent: ParentFacts;
  readonly settings: AgentSettings;
  readonly store: Pick<SessionStore, "create" | "children" | "lease" | "append" | "entries" | "spent">;
  /** Chooses the working environment of a child. Rejects with a message for the user. */
  workplace(plan: ChildPlan): Promise<ChildWorkplace>;
  /** The file with the changes of a lost child that had a copy of the project. */
  lostPatch(id: AgentId): Promise<string | undefined>;
  /** Opens the session of a child. Rejects with a message for the user. The session owns the lease afterwards. */
  open(opening: ChildOpening): Promise<Session>;
  definitions(): Promise<readonly AgentDefinition[]>;
  /** The files that the calls in these entries changed. */
  changedFiles(entries: readonly Entry[]): readonly string[];
  /** Saves a long text and returns the path of its file. */
  spill(name: string, text: string): Promise<string | undefined>;
  /** Whether a question of this session is waiting for the user. */
  waitsForPerson(id: SessionId): Promise<boolean>;
  /**
   * The sources of untrusted text that the parent has read. A task may repeat such text, so each child is tainted
   * too.
   */
  readTexts(): readonly TextSource[];
  readonly hooks: HookBus;
  emit(event: AgentEventBody): void;
  /** Shows a sentence to the user. */
  say(sentence: string): void;
  /** Called for every change of a descendant, for counts and for the ancestors. */
  relay(status: AgentStatus): void;
  readonly clock: Clock;
  readonly log: Logger;
}
