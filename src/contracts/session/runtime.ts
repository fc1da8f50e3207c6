import type { SessionId, TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { CodeRunner } from "../code/code-run.ts";
import type { ProcessHandle } from "../environment/environment.ts";
import type { HookBus } from "../host/hook.ts";
import type { Asker, SecretAsker } from "../host/ports.ts";
import type { Checkpoints } from "../knowledge/checkpoint.ts";
import type { LearningStore } from "../knowledge/learning.ts";
import type { NamedSkills } from "../knowledge/skill.ts";
import type { ChangedFile } from "../model/context.ts";
import type { ContentPart, Message } from "../model/message.ts";
import type { ModelFacts, ReasoningEffort, Usage } from "../model/model.ts";
import type { ApprovalDesk, SessionApprovalDesk } from "../safety/approval.ts";
import type { Principal } from "../safety/principal.ts";
import type { Place } from "../tool/effect.ts";
import type { Catalog, Diagnostic, Registry } from "../tool/registry.ts";
import type { Services } from "../tool/services.ts";
import type { ToolSelection } from "../tool/toolset.ts";
import type { SessionAgentTree } from "./agents.ts";
import type { BackgroundSessions } from "./background.ts";
import type { ChildPlace } from "./child-place.ts";
import type { AgentEvent, TurnOutcome } from "./event.ts";
import type { SessionGoals } from "./goals.ts";
import type { SessionPlanning } from "./planning.ts";
import type { SessionSearch } from "./session-search.ts";
import type { BranchOptions, MovedHead, SessionTree } from "./session-tree.ts";
import type { SessionRecord, SessionStore } from "./session.ts";
import type { TodoItem } from "./todo.ts";

/**
 * One exchange: a prompt and everything up to its answer. It runs independently of its readers; a reader that stops or
 * is slow does not affect it.
 */
export interface Turn {
  readonly id: TurnId;
  /**
   * Yields the events from that sequence number on, or from the beginning of the turn. Ends with `turn.finished`. A turn
   * that is aborted while it waits in the queue has no events.
   */
  events(fromSeq?: number): AsyncIterable<AgentEvent>;
  /** Never rejects. */
  readonly done: Promise<TurnOutcome>;
  /** Interrupts the turn; the next queued prompt starts. It ends within 200 ms, even if a tool ignores its signal. */
  abort(reason: string): void;
}

/** Changes a queued prompt by its position, starting at 0. Returns false if there is no prompt at that position. */
export interface QueueEditing {
  replace(place: number, content: readonly ContentPart[]): boolean;
  remove(place: number): boolean;
  move(from: number, to: number): boolean;
}

export interface CompressPreview {
  /** Messages that a summary would replace, and their tokens. */
  readonly replaced: number;
  readonly replacedTokens: number;
  /** Messages that are kept verbatim, and their tokens. */
  readonly kept: number;
  readonly keptTokens: number;
  /** The prompt of the first exchange that is kept. */
  readonly keptFrom?: string;
}

/** The style of the answers, as an instruction for the model. */
export interface Personality {
  readonly name: string;
  readonly text: string;
}

/** Settings for the model requests of a session. */
export interface RequestTuning {
  /** The reasoning effort. `auto` leaves it to the provider. */
  readonly reasoning: ReasoningEffort | "auto";
  /** Requests faster and more expensive processing, if the provider supports it. */
  readonly isFast: boolean;
  /** The style of the answers. Undefined: the default style, or the style that the session already uses. */
  readonly personality?: Personality;
}

/** The used part of the model's context window. */
export interface ContextUse {
  readonly tokens: number;
  readonly window: number;
  readonly threshold: number;
  readonly estimated: boolean;
  readonly messages: number;
}

export interface Session extends AsyncDisposable {
  readonly id: SessionId;
  /** The other process that has this session open. If set, the session is read-only here. */
  readonly heldBy?: string;
  readonly catalog: Catalog;
  /** The child agents of the session. */
  readonly agents: SessionAgentTree;
  /** The kernels of the session, which keep variables between scripts. */
  readonly code: Pick<CodeRunner, "kernels" | "interrupt" | "kill">;
  readonly approvals: SessionApprovalDesk;
  /** The goal, loop and heartbeat of the session. */
  readonly goals: SessionGoals;
  /** The difference between the tools of the session and those in the settings. */
  readonly selection?: ToolSelection;
  /** Background sessions, each with one prompt. */
  readonly background: BackgroundSessions;
  /**
   * Answers a question about the conversation, without tools. Neither question nor answer becomes part of the history.
   */
  aside(question: string, signal: AbortSignal): Promise<Result<string>>;
  /** The plan mode of the session. */
  readonly planning: SessionPlanning;
  readonly turn: Turn | undefined;
  /** Starts a turn. While one runs, the prompt waits, and the returned turn starts later: before queued prompts. */
  prompt(content: readonly ContentPart[]): Turn;
  /** Sends a message to the running turn after its next tool results, or starts a turn. */
  steer(content: readonly ContentPart[]): void;
  /** Queues a prompt. It starts after the running turn has ended, and is held if that turn fails. */
  queue(content: readonly ContentPart[]): void;
  readonly queued: readonly (readonly ContentPart[])[];
  /** The number of queued prompts that wait for `sendHeld`: after a stop, a failure, or in an earlier process. */
  readonly heldPrompts: number;
  /** Whether the queued prompt at that position, starting at 0, is held. */
  isHeld(place: number): boolean;
  /** Stops the running turn for the user: queued prompts are held and do not start. Undefined: no turn runs. */
  stop(reason: string): Turn | undefined;
  /** Sends the held prompts, one after another. False: there are none. */
  sendHeld(): boolean;
  clearQueue(): void;
  readonly editQueue: QueueEditing;
  /**
   * Sends a message to the running turn. During tool calls it works like `steer`; during a model request, it cancels
   * the request and repeats it with the new message.
   */
  redirect(content: readonly ContentPart[]): void;
  /**
   * Yields the events of all turns from that sequence number on (`0`: all that are still buffered), until the session
   * closes.
   */
  events(fromSeq?: number): AsyncIterable<AgentEvent>;
  history(): readonly Message[];
  model(): ModelFacts;
  /**
   * Switches the model from the next request on. `forOneTurn`: switches back to the previous model after the next turn.
   */
  useModel(name: string, forOneTurn?: boolean): Promise<Result<ModelFacts>>;
  /** Settings for the next requests. */
  tuning(): RequestTuning;
  /** Changes the request settings. They apply from the next request on, a personality from the next prompt on. */
  tune(change: Partial<RequestTuning>): void;
  context(): ContextUse;
  /** Compacts the conversation. If it is aborted, nothing changes. */
  compress(
    focus?: string,
    signal?: AbortSignal,
    /** The number of most recent exchanges to keep verbatim. Default: the engine chooses. */
    keepExchanges?: number,
  ): Promise<Result<{ readonly before: number; readonly after: number; readonly mechanical: boolean }>>;
  /** The part of the conversation that `compress` would replace. Uses no model and changes nothing. */
  previewCompress(keepExchanges?: number): Result<CompressPreview>;
  /**
   * Undoes the last exchanges and returns the first of their prompts. Files do not change; `filesAt` is the checkpoint
   * with the files as they were before.
   */
  undo(turns: number): Promise<Result<{ readonly prompt: readonly ContentPart[]; readonly filesAt?: string }>>;
  /** Continues from the current or an earlier point on a new branch. Files do not change; their state is recorded. */
  branch(wish: BranchOptions, signal: AbortSignal): Promise<Result<MovedHead>>;
  /**
   * Switches to another branch, given by its name or by the number of an exchange that only this branch contains. Files
   * do not change.
   */
  switchTo(branch: string, signal: AbortSignal): Promise<Result<MovedHead>>;
  tree(): Promise<SessionTree>;
  /**
   * Sets and returns the title. The title is cleaned, and gets a number if another session already has the same title.
   */
  setTitle(title: string): Promise<Result<string>>;
  usage(): Promise<SessionUsage>;
  todos(): readonly TodoItem[];
  files(): readonly ChangedFile[];
  /** The checkpoints of the session's calls. Undefined if checkpoints are off. */
  readonly checkpoints?: Checkpoints;
  record(): Promise<SessionRecord>;
  /** The folder in which the next command starts. */
  place(): Pick<Place, "cwd" | "backend">;
  /** The background processes that this session started, including those that ended recently. */
  processes(signal: AbortSignal): Promise<readonly ProcessHandle[]>;
  /** Kills the background processes of this session and returns their number. */
  stopProcesses(signal: AbortSignal): Promise<number>;
}

export interface SessionUsage {
  readonly turn: Usage;
  readonly session: Usage;
  readonly sessionCalls: number;
  readonly day: { readonly costUsd: number; readonly tokens: number };
}

export interface SessionOptions {
  /** The origin of the session: `cli`, `oneshot`, `library`. */
  readonly source: string;
  /** The source to store for a new session instead of the origin. `tool` hides the session from lists. */
  readonly sourceTag?: string;
  /** True if the system prompt of a new session contains its id. */
  readonly namesSessionId?: boolean;
  readonly principal: Principal;
  /**
   * The open session that starts this one. Both share approvals and the budget of the parent, and `childPlace`
   * determines where the new session works. When the parent closes, it closes this session too.
   */
  readonly parent?: SessionId;
  /** Where a session with a parent works. Default: shared. */
  readonly childPlace?: ChildPlace;
  /** The number and prompt of a background session, for its questions. */
  readonly background?: string;
  readonly resume?: SessionId;
  /** The session that the user left to start this one (`/new`). */
  readonly replaces?: SessionId;
  /** The branch of the resumed session. Default: the most recently used branch. */
  readonly branch?: string;
  /** Title of a new session. */
  readonly title?: string;
  readonly tools?: ToolSelection;
  readonly cwd?: string;
  /** `provider/model`, a model or an alias. Default: from the settings. */
  readonly model?: string;
  /** The only provider to use. Default: from the model name or the settings. */
  readonly provider?: string;
  readonly maxTurns?: number;
  /** Default: from the settings. */
  readonly reasoning?: ReasoningEffort;
  /** File for the recording; empty: a file in the home folder. Default: from the settings. */
  readonly record?: string;
  /** True to omit context files, SOUL.md and memory. */
  readonly ignoreRules?: boolean;
  readonly asker?: Asker;
  readonly secrets?: SecretAsker;
  /** Services for tools that only this host provides. */
  readonly services?: Pick<Partial<Services>, "auxiliary" | "notices">;
}

export interface Runtime extends AsyncDisposable {
  readonly registry: Registry;
  readonly hooks: HookBus;
  readonly sessions: SessionStore;
  readonly search: SessionSearch;
  readonly skills: NamedSkills;
  /** The approval questions of all sessions, by principal. A session has its own: `session.approvals`. */
  readonly approvals: Omit<ApprovalDesk, "ask">;
  readonly learnings: Pick<LearningStore, "list" | "forget">;
  readonly diagnostics: readonly Diagnostic[];
  /** Opens a session. Default source: `library`. Default principal: that of the runtime. */
  openSession(options?: Partial<SessionOptions>): Promise<Session>;
}
