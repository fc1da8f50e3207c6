import type { AgentId, ApprovalId, CallId, EntryId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ContentPart, Message } from "../model/message.ts";
import type { ConsultedModel, ModelError, ModelErrorAction, RetryCount, Usage } from "../model/model.ts";
import type { AgentChanged } from "./agents.ts";
import type { GoalsStatus } from "./goals.ts";
import type { PlanStatus } from "./planning.ts";

/**
 * - `answered`: the model ended its turn.
 * - `aborted`: the user or the program stopped the turn.
 * - `budget`: a limit of iterations, money or tokens is reached.
 * - `denied`: too many calls were denied.
 * - `failed`: no model answered, or its answer was unusable.
 */
export const turnEnds = ["answered", "aborted", "budget", "denied", "failed"] as const;
export type TurnEnd = (typeof turnEnds)[number];

export interface TurnOutcome {
  readonly reason: TurnEnd;
  /** The answer of the model. It may be partial. */
  readonly text: string;
  /** Tells the user why there is no complete answer, and what to do. */
  readonly why?: string;
  /** Usage of the whole turn, including auxiliary calls. */
  readonly usage: Usage;
  readonly modelCalls: number;
  readonly toolCalls: number;
}

/** An event that reports a fact. Questions are not events: hosts receive them through separate ports. */
export type AgentEventBody =
  | { readonly type: "turn.started"; readonly turnId: TurnId; readonly prompt: readonly ContentPart[] }
  /** Always the last event of a turn. */
  | { readonly type: "turn.finished"; readonly turnId: TurnId; readonly outcome: TurnOutcome }
  | { readonly type: "model.called"; readonly provider: string; readonly model: string; readonly attempt: number }
  /** Discards the text since `model.called`, unless `next` is `give_up`. */
  | {
      readonly type: "model.failed";
      readonly error: ModelError;
      readonly next: ModelErrorAction;
      readonly how: string;
      readonly waitMs?: number;
      /** The request is sent again after `waitMs`. */
      readonly retry?: RetryCount;
    }
  /** A mixture called one of its reference models. */
  | ({ readonly type: "model.consulted" } & ConsultedModel)
  | { readonly type: "model.answered"; readonly provider: string; readonly model: string; readonly usage: Usage }
  | { readonly type: "text.delta"; readonly delta: string }
  | { readonly type: "reasoning.delta"; readonly delta: string }
  /** The message is stored. An answer is stored with its first call, so this event may follow `tool.started`. */
  | { readonly type: "message.added"; readonly entry: EntryId; readonly message: Message }
  | { readonly type: "context.compacting"; readonly why: "threshold" | "overflow" | "asked"; readonly tokens: number }
  | {
      readonly type: "context.compacted";
      readonly through: EntryId;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** True if the summary was not written by a model. */
      readonly mechanical?: true;
    }
  /** Fill level of the window after each answer. `estimated`: neither the provider nor a tokenizer counted it. */
  | {
      readonly type: "context.used";
      readonly tokens: number;
      readonly window: number;
      readonly threshold: number;
      readonly estimated: boolean;
    }
  /** `parentCallId`: of a nested call, the call that makes it. */
  | {
      readonly type: "tool.started";
      readonly callId: CallId;
      readonly parentCallId?: CallId;
      readonly name: string;
      readonly args: JsonObject;
    }
  | {
      readonly type: "tool.progressed";
      readonly callId: CallId;
      readonly parentCallId?: CallId;
      readonly note: string;
    }
  /**
   * The last lines that the running call has printed. Only the last event applies; the hub empties earlier ones.
   * Untrusted.
   */
  | {
      readonly type: "tool.printed";
      readonly callId: CallId;
      readonly parentCallId?: CallId;
      readonly lines: readonly string[];
    }
  | {
      readonly type: "tool.finished";
      readonly callId: CallId;
      readonly parentCallId?: CallId;
      readonly name: string;
      readonly failed: boolean;
      readonly durationMs: number;
      /** The start of the result in one line. */
      readonly summary: string;
      /** The end of a command's output, and the diff of a file. Untrusted. */
      readonly output?: string;
      /** The number of lines before `output`, if it is only the end. */
      readonly linesBefore?: number;
      readonly diff?: string;
      /** Paths of image files that the call created, at most four. */
      readonly pictures?: readonly string[];
      /** The full reason why the call was denied and did not run. */
      readonly denied?: string;
    }
  | AgentChanged
  | { readonly type: "approval.requested"; readonly approvalId: ApprovalId; readonly callId: CallId }
  | { readonly type: "approval.settled"; readonly approvalId: ApprovalId; readonly answer: string }
  /** The session entered or left plan mode (then without `planning`), or has another plan. The last event applies. */
  | { readonly type: "plan.changed"; readonly planning?: PlanStatus }
  /** The number of queued prompts that are held until the user sends them. The last event applies. */
  | { readonly type: "queue.held"; readonly prompts: number }
  /** The goal, loop or heartbeat of the session changed. The last event applies. */
  | { readonly type: "goals.changed"; readonly status: GoalsStatus }
  | {
      readonly type: "notice";
      readonly level: "info" | "warn" | "error";
      readonly text: string;
      /** The files that the turn failed to write, if the notice is about them. The calls have the reasons. */
      readonly unwritten?: readonly string[];
    };

/** Events of a session are ordered and serialisable. `seq` increases by one with each event. */
export type AgentEvent = {
  readonly seq: number;
  readonly at: number;
  readonly sessionId: SessionId;
  readonly agentId: AgentId;
} & AgentEventBody;
