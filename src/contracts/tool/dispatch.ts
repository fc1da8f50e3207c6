import type { AgentId, CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { ChangeNote } from "../host/middleware.ts";
import type { ToolCall } from "../model/message.ts";
import type { HookQuestion, PolicyRequest, Verdict } from "../safety/approval.ts";
import type { Origin, Principal } from "../safety/principal.ts";
import type { TurnTaint } from "../safety/text-source.ts";
import type { AgentEventBody } from "../session/event.ts";
import type { Effect, ResolvedEffect } from "./effect.ts";
import type { Place } from "./effect.ts";
import type { Catalog } from "./registry.ts";
import type { Services } from "./services.ts";
import type { ToolResult } from "./tool-result.ts";
import type { PreparedCall, Tool } from "./tool.ts";

/** The session of a call. */
export interface CallScope {
  readonly catalog: Catalog;
  readonly sessionId: SessionId;
  readonly agentId?: AgentId;
  readonly turnId?: TurnId;
  /** The person's prompt of this turn. */
  readonly userTask?: string;
  /** The request to the model whose answer asked for the call. */
  readonly requestId?: string;
  readonly origin: Origin;
  readonly principal: Principal;
  readonly place: Place;
  readonly services: Partial<Services>;
  /** Replaces the services of the same names when a person approved the call. A tool sees only one of the two. */
  readonly approvedServices?: Partial<Services>;
  /**
   * Records untrusted sources in results; the dispatcher consults it before it stores or sends anything. Undefined: no
   * tracking.
   */
  readonly taint?: TurnTaint;
  /** Checks of the session on its own calls. */
  readonly guard?: CallGuard;
  /** The parent call. Undefined: not nested. */
  readonly parent?: ParentCall;
  readonly signal: AbortSignal;
  emit(event: AgentEventBody): void;
}

/** A running call, as seen by its nested calls. */
export interface ParentCall {
  readonly callId: CallId;
  /** 1 for calls that a call of the model nests, 2 for theirs, and so on. */
  readonly depth: number;
  /** Shared by all calls below one call of the model. */
  readonly budget: NestedBudget;
  /** Untrusted tools whose results it received. Its own output is untrusted too. */
  readonly foreign: Set<string>;
  /** Pauses the time limits of this call and of those above it until it is disposed. */
  pause(): Disposable;
}

export interface NestedBudget {
  /** Calls that may still be nested. */
  calls: number;
  /** Characters that results of nested calls may still have; longer ones are spilled. */
  chars: number;
}

/** Neither function rejects. */
export interface CallGuard {
  /** Why the call is not run, for the model. Called before the policy. */
  refusal(call: ToolCall): string | undefined;
  /** Text for the model after the result, stored with it. */
  remark(call: PendingCall, result: ToolResult, signal: AbortSignal): Promise<string | undefined> | string | undefined;
}

export interface Dispatcher {
  /** One call. Never rejects, never hangs: a handler that ignores its signal is abandoned and reported. */
  dispatch(call: ToolCall, scope: CallScope): Promise<ToolResult>;
  /**
   * Runs the calls of one turn: in parallel if they cannot affect each other, with results in the requested order,
   * exactly one for each call, even on interrupt. Never rejects.
   */
  dispatchAll(calls: readonly ToolCall[], scope: CallScope): Promise<readonly ToolResult[]>;
}

/** A call that is about to run: its arguments are valid, its hooks have run, its effects are resolved. */
export interface PendingCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly prepared: PreparedCall;
  readonly effects: readonly ResolvedEffect[];
  /** The services of the scope; `approvedServices` replace them when a person approved the call. */
  readonly services: Partial<Services>;
  /** Hooks that request a decision by a person. */
  readonly askedBy: readonly HookQuestion[];
  /** The middleware that changed the arguments. */
  readonly trace: readonly ChangeNote[];
  readonly scope: CallScope;
}

/** One concern around the call. Calls `next` at most once, or returns its own result. */
export type DispatchStep = (call: PendingCall, next: () => Promise<ToolResult>) => Promise<ToolResult>;

// ── ports that later parts fill ─────────────────────────────────────────────────────────────────────────────────────

/** Follows the links in paths and analyses commands. Never rejects. */
export interface EffectResolver {
  /** `earlier`: previously resolved effects. An analysis is reused while the shell state is the same. */
  resolve(
    effects: readonly Effect[],
    place: Place,
    signal: AbortSignal,
    earlier?: readonly ResolvedEffect[],
  ): Promise<Result<readonly ResolvedEffect[], UnresolvedEffect>>;
}

export interface UnresolvedEffect {
  readonly message: string;
  /** The arguments are impossible, such as a path through a file; approval would not help. */
  readonly invalid?: boolean;
  /** The environment of the call is not available. */
  readonly unavailable?: boolean;
}

/** The single decision point. It includes the wait for a person, which does not count towards the tool's timeout. */
export interface Policy {
  decide(request: PolicyRequest, signal: AbortSignal): Promise<Verdict>;
}

/** Removes secrets from displayed or stored text. For display only: masked text is never restored. */
export interface Redactor {
  redact(text: string, shown?: ShownText): string;
}

/**
 * The kind of a text, so that masking does not mistake code or prose for settings. Undefined: a line for people, as in
 * a log.
 */
export interface ShownText {
  readonly kind: "output" | "file";
  /** The command that printed the output. */
  readonly command?: string;
}

/**
 * Stores a result that is too long for the conversation in a place where the model can page through it. Never rejects.
 */
export interface SpillStore {
  spill(callId: CallId, text: string, signal: AbortSignal): Promise<Result<{ readonly path: string }>>;
}
