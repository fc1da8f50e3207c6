import type { SessionId, TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { HookBus } from "../host/hook.ts";
import type { Asker, SecretAsker } from "../host/ports.ts";
import type { Checkpoints } from "../knowledge/checkpoint.ts";
import type { LearningDesk } from "../knowledge/learning.ts";
import type { SkillDesk } from "../knowledge/skill.ts";
import type { ChangedFile } from "../model/context.ts";
import type { ContentPart, Message } from "../model/message.ts";
import type { ModelFacts, ReasoningEffort, Usage } from "../model/model.ts";
import type { ApprovalDesk, SessionApprovalDesk } from "../safety/approval.ts";
import type { Principal } from "../safety/principal.ts";
import type { Catalog, Diagnostic, Registry } from "../tool/registry.ts";
import type { ToolSelection } from "../tool/toolset.ts";
import type { AgentEvent, TurnOutcome } from "./event.ts";
import type { SessionSearch } from "./session-search.ts";
import type { BranchWish, MovedHead, SessionTree } from "./session-tree.ts";
import type { SessionRecord, SessionStore } from "./session.ts";
import type { TodoItem } from "./todo.ts";

/** One exchange. It drives itself; many readers may follow it, and one that leaves or stalls never affects it. */
export interface Turn {
  readonly id: TurnId;
  /** From that sequence number on, or from the beginning of the turn; ends with `turn.finished`. */
  events(fromSeq?: number): AsyncIterable<AgentEvent>;
  /** Never rejects. */
  readonly done: Promise<TurnOutcome>;
  /** Ends within 200 ms, even when a tool ignores its signal. */
  abort(reason: string): void;
}

/** How full the window is. */
export interface ContextUse {
  readonly tokens: number;
  readonly window: number;
  readonly threshold: number;
  readonly estimated: boolean;
  readonly messages: number;
}

export interface Session extends AsyncDisposable {
  readonly id: SessionId;
  /** Somebody else writes to it: it can be read here and not be gone on with. Who that is. */
  readonly heldBy?: string;
  readonly catalog: Catalog;
  readonly approvals: SessionApprovalDesk;
  /** The one that runs. */
  readonly turn: Turn | undefined;
  /** Starts one; while one runs, the prompt waits behind it as with `queue`, and that turn is answered when it starts. */
  prompt(content: readonly ContentPart[]): Turn;
  /** Reaches the running turn after its next tool results, or starts one. */
  steer(content: readonly ContentPart[]): void;
  /** Becomes a turn of its own when the running one has ended. */
  queue(content: readonly ContentPart[]): void;
  readonly queued: readonly (readonly ContentPart[])[];
  clearQueue(): void;
  /** During tool calls as `steer`; during a model request the request is given up and made again with it. */
  redirect(content: readonly ContentPart[]): void;
  /** Of all turns, from that sequence number on (`0`: what is still kept), without end until the session is closed. */
  events(fromSeq?: number): AsyncIterable<AgentEvent>;
  history(): readonly Message[];
  model(): ModelFacts;
  /** From the next request on. `forOneTurn`: when the next turn is over, however it ends, the one before answers again. */
  useModel(name: string, forOneTurn?: boolean): Promise<Result<ModelFacts, { readonly message: string }>>;
  context(): ContextUse;
  /** Stopped by the signal, it changes nothing. */
  compress(
    focus?: string,
    signal?: AbortSignal,
  ): Promise<Result<{ readonly before: number; readonly after: number }, { readonly message: string }>>;
  /** Takes back the last exchanges; what was asked first among them comes back. */
  undo(turns: number): Promise<Result<{ readonly prompt: readonly ContentPart[] }, { readonly message: string }>>;
  /** Goes on from here or from an earlier place on a new branch; files stay as they are, and are recorded. */
  branch(wish: BranchWish, signal: AbortSignal): Promise<Result<MovedHead, { readonly message: string }>>;
  /** Goes on with another branch: its name, or the number of an exchange that only it has. Files stay as they are. */
  switchTo(branch: string, signal: AbortSignal): Promise<Result<MovedHead, { readonly message: string }>>;
  tree(): Promise<SessionTree>;
  /** What it is called from now on: cleaned, with a number when another session is called so. */
  setTitle(title: string): Promise<Result<string, { readonly message: string }>>;
  usage(): Promise<SessionUsage>;
  todos(): readonly TodoItem[];
  files(): readonly ChangedFile[];
  /** Of what its calls changed. Left out: checkpoints are off. */
  readonly checkpoints?: Checkpoints;
  record(): Promise<SessionRecord>;
  /** Ends the background processes that were started here; how many. */
  stopProcesses(signal: AbortSignal): Promise<number>;
}

export interface SessionUsage {
  readonly turn: Usage;
  readonly session: Usage;
  readonly sessionCalls: number;
  readonly day: { readonly costUsd: number; readonly tokens: number };
}

export interface SessionOptions {
  /** Where it comes from: `cli`, `oneshot`, `library`. */
  readonly source: string;
  readonly principal: Principal;
  /**
   * An open session that starts this one: both share workbench, environment, folder, approvals and the budget of the parent.
   * The parent closes it when it closes.
   */
  readonly parent?: SessionId;
  readonly resume?: SessionId;
  /** Of the resumed one, to go on with. Left out: the one that was left last. */
  readonly branch?: string;
  /** Of a new one. */
  readonly title?: string;
  readonly tools?: ToolSelection;
  readonly cwd?: string;
  /** `provider/model`, a model or an alias; left out: the settings. */
  readonly model?: string;
  /** Who serves it, and nobody else; left out: its name says it, or the settings. */
  readonly provider?: string;
  readonly maxTurns?: number;
  /** Left out: the settings. */
  readonly reasoning?: ReasoningEffort;
  /** A file that the session is recorded in; empty: one in the home folder. Left out: as the settings say. */
  readonly record?: string;
  /** No context files, no SOUL.md, no memory. */
  readonly ignoreRules?: boolean;
  readonly asker?: Asker;
  readonly secrets?: SecretAsker;
}

export interface Runtime extends AsyncDisposable {
  readonly registry: Registry;
  readonly hooks: HookBus;
  readonly sessions: SessionStore;
  readonly search: SessionSearch;
  readonly skills: SkillDesk;
  /** The questions of all sessions, by principal. A session has its own: `session.approvals`. */
  readonly approvals: Omit<ApprovalDesk, "ask">;
  /** What was learned from failures. */
  learnings(who: Principal): LearningDesk;
  readonly diagnostics: readonly Diagnostic[];
  /** Default source: `library`. Default principal: the one that the runtime was opened for. */
  openSession(options?: Partial<SessionOptions>): Promise<Session>;
}
