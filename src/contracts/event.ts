import type { AgentId, ApprovalId, CallId, EntryId, SessionId, TurnId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "./message.ts";
import type { ModelError, Usage } from "./model.ts";

export interface TurnOutcome {
  readonly reason: "answered" | "aborted" | "budget" | "failed";
  readonly text: string;
  readonly usage: Usage;
}

/** A fact. Questions never travel here: they go through the ports of the host. */
export type AgentEventBody =
  | { readonly type: "turn.started"; readonly turnId: TurnId }
  /** Always the last of a turn. */
  | { readonly type: "turn.finished"; readonly outcome: TurnOutcome }
  | { readonly type: "model.called"; readonly model: string; readonly attempt: number }
  | { readonly type: "model.failed"; readonly error: ModelError; readonly next: "retry" | "fallback" | "give_up" }
  | { readonly type: "text.delta"; readonly delta: string }
  | { readonly type: "reasoning.delta"; readonly delta: string }
  | { readonly type: "message.added"; readonly message: Message }
  | {
      readonly type: "context.compacted";
      readonly through: EntryId;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  | { readonly type: "tool.started"; readonly callId: CallId; readonly name: string; readonly args: JsonObject }
  | { readonly type: "tool.progressed"; readonly callId: CallId; readonly note: string }
  | {
      readonly type: "tool.finished";
      readonly callId: CallId;
      readonly name: string;
      readonly failed: boolean;
      readonly durationMs: number;
    }
  | { readonly type: "approval.requested"; readonly approvalId: ApprovalId; readonly callId: CallId }
  | { readonly type: "approval.settled"; readonly approvalId: ApprovalId; readonly answer: string }
  | { readonly type: "notice"; readonly level: "info" | "warn" | "error"; readonly text: string };

/** Ordered and serialisable; `seq` grows by one within a session. */
export type AgentEvent = {
  readonly seq: number;
  readonly at: number;
  readonly sessionId: SessionId;
  readonly agentId: AgentId;
} & AgentEventBody;
