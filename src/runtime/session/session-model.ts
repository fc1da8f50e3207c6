import type { SessionId } from "../../base/ids.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { ContextEngine } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelClient, ModelSource, SystemPart } from "../../contracts/model/model.ts";
import type { AgentEvent } from "../../contracts/session/event.ts";
import type { OpenTap } from "../../contracts/session/session-tap.ts";
import type { Place } from "../../contracts/tool/effect.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { ContextMeter } from "../../kernel/loop/context-keeper.ts";
import type { SessionLog } from "../../kernel/loop/record/session-log.ts";
import type { TurnPorts } from "../../kernel/loop/turn.ts";
import type { Learner } from "../../learnings/learner.ts";
import type { SecretRedactor } from "../../safety/secrets.ts";
import type { Workbench } from "../calls/open-workbench.ts";
import type { PersonalMemory } from "../knowledge/open-memory.ts";
import type { SessionSkills } from "../knowledge/session-skills.ts";

/** The models of a runtime, and how a session opens its own. */
export interface ModelParts {
  readonly models: ModelSource;
  openSessionModel(input: SessionModelInput): Promise<SessionModel>;
  /** Refreshes stale facts about models. Never rejects. */
  refresh?(signal: AbortSignal): Promise<void>;
  /** Opens the recorder or replay of a session. */
  readonly tap?: OpenTap;
}

export interface SessionModelInput {
  readonly model: ModelClient;
  readonly catalog: Catalog;
  readonly workbench: Workbench;
  readonly log: SessionLog;
  readonly redactor: SecretRedactor;
  readonly hooks: HookBus;
  readonly sessionId: SessionId;
  readonly memory: PersonalMemory;
  readonly skills: SessionSkills;
  readonly learner: Learner | undefined;
  /** Omits context files, SOUL.md, hints and memory. */
  readonly ignoreRules: boolean;
  /** Replaces SOUL.md: the text about a child agent. */
  readonly identity?: string;
  /** The reason why the budget forbids a request now. */
  refusal(): Promise<string | undefined>;
  /** Shows a sentence to the person. */
  say(sentence: string): void;
  readonly signal: AbortSignal;
}

export interface SessionModel {
  /** Answers auxiliary requests outside the conversation. */
  readonly auxiliary: AuxiliaryModel;
  readonly engine: ContextEngine;
  readonly meter: ContextMeter;
  /** The system prompt of a new session: every request starts with the same bytes. */
  prompt(facts: { readonly place: Place; readonly source: string }): Promise<{
    readonly system: readonly SystemPart[];
    /** Tells the user which files the prompt omits or marks as untrusted, and why. */
    readonly notices: readonly string[];
    /** Files in it that count as untrusted text. */
    readonly suspects?: readonly string[];
  }>;
  cacheMarks(messages: readonly Message[]): readonly number[];
  readonly cacheTtl?: "5m" | "1h";
  readonly remark?: TurnPorts["remark"];
  readonly unfinished?: TurnPorts["unfinished"];
  readonly leftovers?: TurnPorts["leftovers"];
  watch?(event: AgentEvent): void;
}
