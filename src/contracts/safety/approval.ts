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
  /** The parent of a nested call. The parent's approval does not cover it. */
  readonly parentCallId?: CallId;
  readonly principal: Principal;
  readonly tool: string;
  /** The tool changes nothing permanently. */
  readonly readOnly: boolean;
  readonly args: JsonObject;
  readonly effects: readonly ResolvedEffect[];
  /** The call does not wait until the decision is on disk, because nothing depends on its record. */
  readonly isRecordedLate?: boolean;
  readonly origin: Origin;
  readonly place: Place;
  /** The environment of commands: analysis starts with its state and resolves paths in it. */
  readonly environment?: Pick<Environment, "state" | "files"> & Partial<Pick<Environment, "processes">>;
  /** Untrusted sources that this turn has read. */
  readonly tainted: readonly TextSource[];
  /** Shows a person the change that the call would make. Called only for a question. */
  readonly preview?: (signal: AbortSignal) => Promise<string | undefined>;
  /** Reasons of hooks for asking a person; each is a question that only a person may clear. */
  readonly askedBy?: readonly HookQuestion[];
  /** Whether the tool would refuse the call after an approval. It may read the files of the call. */
  isRefused?(): Promise<boolean>;
}

/** `ruleKey`: the name of the hook's own rule. */
export interface HookQuestion {
  readonly hook: string;
  readonly reason: string;
  readonly ruleKey?: string;
}

export type Verdict =
  | Allowed
  /** `reason`: text for model and user with the prevented effect and how to allow it. */
  | {
      readonly decision: "deny";
      readonly reason: string;
      readonly rule?: string;
      readonly cause?: DenialCause;
      /** The questions that remained open. */
      readonly asks?: readonly Pick<Ask, "rule" | "reason" | "covers">[];
    };

export interface Allowed {
  readonly decision: "allow";
  /** A person approved it, now or by an earlier approval. Not a model, not a mode. */
  readonly byPerson?: true;
  /** Sources of texts in the result, beyond the tool's own declaration. */
  readonly reads?: readonly TextSource[];
}

/**
 * - `hardline`, `rule`: final for every caller.
 * - `refused`: the tool itself would refuse the call; there is no question.
 * - `readonly`: the mode allows only reading.
 * - `person`, `timeout`, `no_approver`: a person denied it, nobody answered in time, or nobody could answer.
 * - `interrupted`: the user stopped the call while its question waited.
 * - `unavailable`: the environment is not reachable, so the policy cannot judge the call.
 * - `stopped`: too many denials in a row; Hermes asks no more questions in this turn.
 */
export type DenialCause =
  | "hardline"
  | "rule"
  | "refused"
  | "readonly"
  | "person"
  | "timeout"
  | "no_approver"
  | "interrupted"
  | "unavailable"
  | "stopped";

/** A range of the text that caused the question, by character offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Reason {
  readonly rule: string;
  readonly message: string;
}

export interface Ask {
  /** The rule and its exact subject. Only a grant for both answers the question. */
  readonly key: string;
  readonly rule: string;
  readonly reason: string;
  /** Positions in the text of the question. */
  readonly spans: readonly Span[];
  /** The rule that a longer approval would store. Undefined: only a single approval is possible. */
  readonly covers?: string;
}

/**
 * Every source is evaluated. Any deny is final. Analysis and ask rules add asks; allow rules, grants and smart review
 * remove only asks whose key they cover. If no asks are left, the call is allowed.
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

export type Answer = Approval | { readonly scope: "deny"; readonly reason?: string };

export type Approval =
  | { readonly scope: "once" }
  | { readonly scope: "session" }
  /** `rules`: the rules that the person edited, stored instead of the rules in the question. */
  | { readonly scope: "always"; readonly rules?: readonly string[] };

/** The outcome of a question. Only `answered` means that a person answered. */
export type QuestionOutcome =
  | { readonly how: "answered"; readonly answer: Answer; readonly by: string }
  | { readonly how: "timeout" | "aborted" | "no_approver" };

/**
 * The abort reason of a surface's signal: the question has an outcome. `outcome` is undefined if the call was stopped.
 */
export class QuestionSettled extends Error {
  readonly outcome: QuestionOutcome | undefined;

  constructor(outcome?: QuestionOutcome) {
    super("the question was settled");
    this.outcome = outcome;
  }
}

/** A question as it is shown and stored. Secrets are masked. */
export interface Question {
  readonly sessionId: SessionId;
  /** The session whose surfaces show it: the session of the call or its parent. */
  readonly shownIn: SessionId;
  /** The child agent that made the call: `review`, or its goal. Undefined: the session that the user talks to. */
  readonly agent?: string;
  readonly turnId?: TurnId;
  readonly callId: CallId;
  readonly parentCallId?: CallId;
  readonly principal: string;
  /** Another principal that can see and answer it. */
  readonly owner?: string;
  readonly origin: Origin;
  readonly tool: string;
  /** The full command or effects. `spans` of asks refer to this text. */
  readonly text: string;
  readonly cwd: string;
  readonly backend: string;
  readonly asks: readonly Ask[];
  /** An approved call runs outside the sandbox. */
  readonly leavesSandbox?: boolean;
  /** The change of a file as a diff, or its size and first lines. */
  readonly preview?: string;
}

/** A question as a person sees it. */
export type ApprovalQuestion = Pick<
  Question,
  "agent" | "tool" | "text" | "cwd" | "backend" | "asks" | "leavesSandbox" | "preview"
>;

export interface PendingApproval extends Question {
  readonly id: ApprovalId;
  readonly askedAt: number;
  /** The time at which an unanswered question is denied. */
  readonly expiresAt: number;
}

/** Shows questions to a person: a terminal, a chat, a page. */
export interface ApprovalSurface {
  readonly name: string;
  /** The person's answer, or undefined if it was answered elsewhere; then the signal is aborted. May reject. */
  ask(pending: PendingApproval, signal: AbortSignal): Promise<Answer | undefined>;
}

/** Scope of a surface: one session and its children, or all sessions of one principal. */
export type Audience = { readonly session: SessionId } | { readonly principal: Principal };

/** `name` identifies where the answer came from: `the terminal`. */
export interface Answerer {
  readonly principal: Principal;
  readonly name: string;
}

/**
 * Keeps questions until somebody answers: they are on disk, shown on the surfaces of their session, and answered there
 * or from another program of the same principal. A question without a surface is denied.
 */
export interface ApprovalDesk {
  /** Shows pending questions too. */
  attach(surface: ApprovalSurface, audience: Audience): Disposable;
  ask(question: Question, signal: AbortSignal): Promise<QuestionOutcome>;
  /** The questions of one principal, and of those that it owns, in every program of this home, oldest first. */
  pending(who: Principal): Promise<readonly PendingApproval[]>;
  /** Only the principal that made the call, or its owner, can answer. The first answer wins. */
  answer(id: string, answer: Answer, by: Answerer): Promise<Result<PendingApproval>>;
}

export interface SessionApprovalDesk {
  mode(): ApprovalMode;
  /** Applies until the session closes; the settings stay unchanged. */
  setMode(mode: ApprovalMode): void;
  /** Shows the questions of this session, and of the sessions that it starts, until it is disposed or the session closes. */
  attach(surface: ApprovalSurface): Disposable;
  pending(): Promise<readonly PendingApproval[]>;
  /** `name` identifies where the answer came from. */
  answer(id: string, answer: Answer, name: string): Promise<Result<PendingApproval>>;
}

/** The state of one session that decisions about its calls depend on. */
export interface SessionApprovals {
  /** The session that the user talks to: a session that an agent starts shares the approvals of its parent. */
  readonly id: SessionId;
  mode(): ApprovalMode;
  /** The rules that a person granted for the session, as text. */
  grants(): readonly string[];
  grant(rules: readonly string[]): void;
  /** Gives a second opinion in smart mode; its cost is recorded in the session. */
  readonly reviewer?: ApprovalReviewer;
  /** The child agent that the session belongs to: its name, or its goal. */
  readonly agent?: string;
  /** Questions are denied if nobody can answer, whatever the settings say. */
  readonly isDeniedUnattended?: boolean;
}

/** A second opinion on a command, from a model. It may only clear harmless commands. Never rejects. */
export interface ApprovalReviewer {
  review(prompt: string, signal: AbortSignal): Promise<Result<string>>;
}
