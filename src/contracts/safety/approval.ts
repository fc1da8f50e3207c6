import type { ApprovalId, CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { Environment } from "../environment/environment.ts";
import type { ResolvedEffect } from "../tool/effect.ts";
import type { Place } from "../tool/effect.ts";
import type { Origin, Principal } from "./principal.ts";
import type { TextSource } from "./text-source.ts";

export interface PolicyRequest {
  readonly sessionId: SessionId;
  readonly turnId?: TurnId;
  readonly callId: CallId;
  /** Of a nested call: the call that makes it. Its approval does not count for this one. */
  readonly parentCallId?: CallId;
  readonly principal: Principal;
  readonly tool: string;
  /** The tool changes nothing that outlives the call. */
  readonly readOnly: boolean;
  readonly args: JsonObject;
  readonly effects: readonly ResolvedEffect[];
  readonly origin: Origin;
  readonly place: Place;
  /** Where commands would run: analysis begins with its state and asks it for real paths. */
  readonly environment?: Pick<Environment, "state" | "files"> & Partial<Pick<Environment, "processes">>;
  /** What strangers wrote that this turn has read. */
  readonly tainted: readonly TextSource[];
  /** Why hooks want a person to decide; each is a question that only a person may take away. */
  readonly askedBy?: readonly { readonly hook: string; readonly reason: string }[];
}

export type Verdict =
  | Allowed
  /** `reason` is what model and user read: what would have happened, and what would allow it. */
  | {
      readonly decision: "deny";
      readonly reason: string;
      readonly rule?: string;
      readonly cause?: DenialCause;
      /** The questions that were left. */
      readonly asks?: readonly Pick<Ask, "rule" | "reason" | "covers">[];
    };

export interface Allowed {
  readonly decision: "allow";
  /** A person said yes to it, now or by what they allowed before. Not a model, not a mode. */
  readonly byPerson?: true;
  /** Whose texts the result will have in it, beyond what the tool says of itself. */
  readonly reads?: readonly TextSource[];
}

/**
 * - `hardline`, `rule`: final, whoever asks.
 * - `readonly`: the mode allows reading alone.
 * - `person`, `timeout`, `no_approver`: the question was answered no, not answered, or there was nobody to answer it.
 * - `interrupted`: the call was given up while its question waited.
 * - `unavailable`: where it would happen is not there, so it cannot be judged.
 * - `stopped`: so many were denied in a row that this turn asks no more questions.
 */
export type DenialCause =
  | "hardline"
  | "rule"
  | "readonly"
  | "person"
  | "timeout"
  | "no_approver"
  | "interrupted"
  | "unavailable"
  | "stopped";

/** A stretch of the text that decided, by character offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Reason {
  readonly rule: string;
  readonly message: string;
}

export interface Ask {
  /** The rule and what exactly it is about. Only what covers both takes the question away. */
  readonly key: string;
  readonly rule: string;
  readonly reason: string;
  /** Positions in the text of the question. */
  readonly spans: readonly Span[];
  /** The rule that a longer approval would store. Undefined: only a single approval is possible. */
  readonly covers?: string;
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

/** `readonly`: only reading. `manual`: a person decides. `smart`: a model approves harmless calls. `yolo`: no questions. */
export type ApprovalMode = "readonly" | "manual" | "smart" | "yolo";

export type Answer =
  | { readonly scope: "once" | "session" | "always" }
  | { readonly scope: "deny"; readonly reason?: string };

/** How a question ended. Only `answered` means that a person answered. */
export type Settled =
  | { readonly how: "answered"; readonly answer: Answer; readonly by: string }
  | { readonly how: "timeout" | "aborted" | "no_approver" };

/** A question as it is shown and stored. Secrets are masked. */
export interface Question {
  readonly sessionId: SessionId;
  /** The session whose surfaces show it: the session of the call, or the one that started that session. */
  readonly shownIn: SessionId;
  readonly callId: CallId;
  readonly parentCallId?: CallId;
  readonly principal: string;
  readonly origin: Origin;
  readonly tool: string;
  /** The full command or effects. `spans` of asks refer to this text. */
  readonly text: string;
  readonly cwd: string;
  readonly backend: string;
  readonly asks: readonly Ask[];
  /** An approved call runs outside the sandbox. */
  readonly leavesSandbox?: boolean;
}

export interface PendingApproval extends Question {
  readonly id: ApprovalId;
  readonly askedAt: number;
  /** Denied if nobody answers until then. */
  readonly expiresAt: number;
}

/** Shows questions to a person: a terminal, a chat, a page. */
export interface ApprovalSurface {
  readonly name: string;
  /** The person's answer, or nothing when it was answered elsewhere: then the signal is aborted. May reject. */
  ask(pending: PendingApproval, signal: AbortSignal): Promise<Answer | undefined>;
}

/** Whose questions a surface shows: those of one session and the sessions that it starts, or all of one principal. */
export type Audience = { readonly session: SessionId } | { readonly principal: Principal };

/** `name` says where the answer came from: `the terminal`. */
export interface Answerer {
  readonly principal: Principal;
  readonly name: string;
}

/**
 * Holds questions until somebody answers: on disk, shown on the surfaces of their audience, answered there or from another
 * program of the same principal. A question that no surface shows is denied.
 */
export interface ApprovalDesk {
  /** Shows pending questions too. */
  attach(surface: ApprovalSurface, audience: Audience): Disposable;
  ask(question: Question, signal: AbortSignal): Promise<Settled>;
  /** The questions of one principal in every program of this home, oldest first. */
  pending(who: Principal): Promise<readonly PendingApproval[]>;
  /** Only the principal whose call it is can answer. The first answer counts. */
  answer(id: string, answer: Answer, by: Answerer): Promise<Result<PendingApproval>>;
}

export interface SessionApprovalDesk {
  mode(): ApprovalMode;
  /** Holds until the session closes; the settings stay as they are. */
  setMode(mode: ApprovalMode): void;
  /** Shows the questions of this session, and of the sessions that it starts, until it is disposed or the session closes. */
  attach(surface: ApprovalSurface): Disposable;
  pending(): Promise<readonly PendingApproval[]>;
  /** `name` says where the answer came from. */
  answer(id: string, answer: Answer, name: string): Promise<Result<PendingApproval>>;
}

/** The state of one session that decisions about its calls depend on. */
export interface SessionApprovals {
  /** The session that the person talks to: a session that an agent starts shares the approvals of its parent. */
  readonly id: SessionId;
  mode(): ApprovalMode;
  /** The rules that a person granted for the session, as text. */
  grants(): readonly string[];
  grant(rules: readonly string[]): void;
  /** Gives a second opinion in smart mode; its cost is booked on the session. */
  readonly reviewer?: ApprovalReviewer;
}

/** A second opinion on a command, from a model. It may clear what is harmless and nothing else. Never rejects. */
export interface ApprovalReviewer {
  review(prompt: string, signal: AbortSignal): Promise<Result<string>>;
}
