import type { ApprovalId, CallId, SessionId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { Effect } from "./effect.ts";
import type { ShellState } from "./environment.ts";
import type { Origin, Principal } from "./principal.ts";

export interface PolicyRequest {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly principal: Principal;
  readonly tool: string;
  readonly args: JsonObject;
  readonly effects: readonly Effect[];
  readonly origin: Origin;
  readonly backend: string;
  readonly shell?: ShellState;
  /** Sources of untrusted text in this turn. */
  readonly tainted: readonly string[];
  /** Why hooks want a person to decide; each is a question that only a person may take away. */
  readonly askedBy?: readonly { readonly hook: string; readonly reason: string }[];
}

export type Verdict =
  | { readonly decision: "allow" }
  /** `reason` is what model and user read: what would have happened, and what would allow it. */
  | { readonly decision: "deny"; readonly reason: string; readonly rule?: string };

/** A stretch of the text that decided, by character offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Reason {
  readonly rule: string;
  readonly message: string;
}

/** One question. `covers` is what saying yes for longer would cover, shown before anyone says it. */
export interface Ask {
  readonly key: string;
  readonly covers: string;
  readonly rule: string;
  readonly spans: readonly Span[];
  readonly reason: string;
}

/**
 * Every source is heard. Any deny is final. Analysis and ask rules add asks; allow rules, grants and smart review only
 * take away asks whose key they cover. None left: allow.
 */
export interface PolicySource {
  readonly name: string;
  judge(
    request: PolicyRequest,
    signal: AbortSignal,
  ): Promise<{ readonly deny?: Reason; readonly asks?: readonly Ask[]; readonly clears?: readonly string[] }>;
}

export type Answer =
  | { readonly scope: "once" | "session" | "always" }
  | { readonly scope: "deny"; readonly reason?: string };

export interface PendingApproval {
  readonly id: ApprovalId;
  readonly request: PolicyRequest;
  readonly asks: readonly Ask[];
  readonly askedAt: number;
}

/** Questions wait here: persisted, shown on every attached surface, answered from any. Nobody attached: denied. */
export interface ApprovalDesk {
  open(request: PolicyRequest, asks: readonly Ask[], signal: AbortSignal): Promise<Answer>;
  pending(): readonly PendingApproval[];
  answer(id: ApprovalId, answer: Answer, by: Principal): Result<void, { readonly message: string }>;
}
