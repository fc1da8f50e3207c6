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
  /** Levels of children below a session. */
  readonly depth: number;
  readonly maxIterations: number;
  /** Undefined means no limit. */
  readonly maxSeconds?: number;
  /** The model of child agents. Default: the model of the parent. */
  readonly model?: string;
  /** Models that a task may name. */
  readonly models: readonly string[];
  /** A child without an event for this time ends. */
  readonly idleMs: number;
  /** A child in one tool call for this time ends. */
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
  /** 0 for a session that a person or program opened. */
  readonly depth: number;
  /** Undefined for a session that is not a child. */
  readonly role?: AgentRole;
  readonly tools: NarrowedTools;
  cwd(): string;
  /** `provider/model`. */
  model(): string;
  hasTool(name: string): boolean;
  toolsIn(toolset: string): ReadonlySet<string> | undefined;
  /** Why neither this session nor its children may call a model now. */
  refusal(): Promise<string | undefined>;
}

/** A child with everything that decides about its rights. */
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
  /** The first text of its system prompt. */
  readonly identity: string;
  /** The earlier run that it continues. */
  readonly resumes?: AgentId;
}

/** The changes of a child in a copy of the project. */
export interface CollectedWork {
  /** The file with the changes. */
  readonly patch?: string;
  /** The changed files, relative to the root of the project. */
  readonly filesChanged?: readonly string[];
}

/** The environment that a child works in. */
export interface ChildWorkplace {
  readonly place: ChildPlace;
  /** Called when the child has ended and its session is still open. */
  finish?(): Promise<CollectedWork>;
  /** Called when its session is closed. */
  close?(): Promise<void>;
}

/** A child session that is about to be opened: its record exists, and this process may write to it. */
export interface ChildOpening {
  readonly plan: ChildPlan;
  readonly record: SessionRecord;
  readonly lease: Lease;
  readonly workplace: ChildWorkplace;
  /** Untrusted texts that its parent has read. */
  readonly readTexts: readonly TextSource[];
  /** Called before each model call of the child: why it must not be made. */
  refusal(): Promise<string | undefined>;
  /** The progress of the child's own children. */
  relay(status: AgentStatus): void;
}

export interface AgentPorts {
  readonly parent: ParentFacts;
  readonly settings: AgentSettings;
  readonly store: Pick<SessionStore, "create" | "children" | "lease" | "append" | "entries" | "spent">;
  /** Chooses the working environment of a child. Rejects with a message for a person. */
  workplace(plan: ChildPlan): Promise<ChildWorkplace>;
  /** The file with the changes of a lost child that had a copy of the project. */
  lostPatch(id: AgentId): Promise<string | undefined>;
  /** Rejects with a message for a person. The session owns the lease afterwards. */
  open(opening: ChildOpening): Promise<Session>;
  definitions(): Promise<readonly AgentDefinition[]>;
  /** The files that the calls in these entries changed. */
  changedFiles(entries: readonly Entry[]): readonly string[];
  /** Stores a long text and returns the path of its file. */
  spill(name: string, text: string): Promise<string | undefined>;
  /** Whether a question of this session is waiting for a person. */
  waitsForPerson(id: SessionId): Promise<boolean>;
  /** Untrusted texts that the parent has read: a task may repeat them, so each child is tainted by them. */
  readTexts(): readonly TextSource[];
  readonly hooks: HookBus;
  emit(event: AgentEventBody): void;
  /** Shows a sentence to the person. */
  say(sentence: string): void;
  /** Called for every change of a descendant, for counts and for the ancestors. */
  relay(status: AgentStatus): void;
  readonly clock: Clock;
  readonly log: Logger;
}
