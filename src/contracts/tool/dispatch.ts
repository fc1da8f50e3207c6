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
  /** The user's prompt of this turn. */
  readonly userTask?: string;
  /** The model request whose answer contains the call. */
  readonly requestId?: string;
  readonly origin: Origin;
  readonly principal: Principal;
  readonly place: Place;
  readonly services: Partial<Services>;
  /** Services that replace those of the same name if a person approved the call. A tool sees only one of the two. */
  readonly approvedServices?: Partial<Services>;
  /**
   * Tracks untrusted sources in results. The dispatcher consults it before it stores or sends anything. Undefined: no
   * tracking.
   */
  readonly taint?: TurnTaint;
  /** Checks that the session itself applies to its calls. */
  readonly guard?: CallGuard;
  /** The parent call. Undefined: this call is not nested. */
  readonly parent?: ParentCall;
  readonly signal: AbortSignal;
  emit(event: AgentEventBody): void;
}

/** A running call, as its nested calls see it. */
export interface ParentCall {
  readonly callId: CallId;
  /** The nesting depth: 1 for a call that a call of the model makes, 2 for a call inside that, and so on. */
  readonly depth: number;
  /** The limits that all calls nested in one call of the model share. */
  readonly budget: NestedBudget;
  /** Untrusted tools whose results the call received. The call's own output is therefore untrusted too. */
  readonly foreign: Set<string>;
  /** Pauses the time limits of this call and of its parent calls until the result is disposed. */
  pause(): Disposable;
}

export interface NestedBudget {
  /** The number of nested calls that are still allowed. */
  calls: number;
  /** The number of characters that results of nested calls may still have. Longer results are written to files. */
  chars: number;
}

/** Neither function rejects. */
export interface CallGuard {
  /** Returns the reason why the call must not run, as text for the model. Called before the policy. */
  refusal(call: ToolCall): string | undefined;
  /** Returns text for the model that follows the result and is stored with it. */
  remark(call: PendingCall, result: ToolResult, signal: AbortSignal): Promise<string | undefined> | string | undefined;
}

export interface Dispatcher {
  /** Runs one call. Never rejects and never hangs: a handler that ignores its signal is abandoned and reported. */
  dispatch(call: ToolCall, scope: CallScope): Promise<ToolResult>;
  /**
   * Runs the calls of one turn: in parallel if they cannot affect each other. Returns exactly one result for each call,
   * in the requested order, even after an interrupt. Never rejects.
   */
  dispatchAll(calls: readonly ToolCall[], scope: CallScope): Promise<readonly ToolResult[]>;
}

/** A call that is about to run: its arguments are valid, its hooks have run, its effects are resolved. */
export interface PendingCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly prepared: PreparedCall;
  readonly effects: readonly ResolvedEffect[];
  /** The services of the session. `approvedServices` replace them if a person approved the call. */
  readonly services: Partial<Services>;
  /** Hooks that require approval by a person. */
  readonly askedBy: readonly HookQuestion[];
  /** The middleware that changed the arguments. */
  readonly trace: readonly ChangeNote[];
  readonly scope: CallScope;
}

/** One step of the dispatch around the call. Calls `next` at most once, or returns its own result. */
export type DispatchStep = (call: PendingCall, next: () => Promise<ToolResult>) => Promise<ToolResult>;

// ── interfaces that other components implement ──────────────────────────────────────────────────────────────────────

/** Resolves symbolic links in paths and analyses commands. Never rejects. */
export interface EffectResolver {
  /**
   * Resolves the effects of a call. `earlier` contains previously resolved effects; their analysis is reused while the
   * shell state is the same.
   */
  resolve(
    effects: readonly Effect[],
    place: Place,
    signal: AbortSignal,
    earlier?: readonly ResolvedEffect[],
  ): Promise<Result<readonly ResolvedEffect[], UnresolvedEffect>>;
}

export interface UnresolvedEffect {
  readonly message: string;
  /** The arguments cannot work, such as a path through a file; an approval would not help. */
  readonly invalid?: boolean;
  /** The environment of the call is not available. */
  readonly unavailable?: boolean;
}

/**
 * The single place that decides whether a call may run. Includes the wait for a person, which does not count towards
 * the tool's timeout.
 */
export interface Policy {
  /** A verdict that needs no wait is returned directly. */
  decide(request: PolicyRequest, signal: AbortSignal): Promise<Verdict> | Verdict;
}

/** Masks secrets in text that is displayed or stored. The original text cannot be restored. */
export interface Redactor {
  redact(text: string, shown?: ShownText): string;
}

/**
 * The kind of the text, so that masking does not mistake code or prose for settings. Undefined: a line for people, as
 * in a log.
 */
export interface ShownText {
  readonly kind: "output" | "file";
  /** The command that printed the output. */
  readonly command?: string;
  /** The file that the text comes from. */
  readonly path?: string;
}

/** Stores a result that is too long for the conversation in a file that the model can page through. Never rejects. */
export interface SpillStore {
  spill(callId: CallId, text: string, signal: AbortSignal): Promise<Result<{ readonly path: string }>>;
}
