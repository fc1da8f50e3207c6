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
  /** The parent of a nested call. An approval of the parent does not cover the nested call. */
  readonly parentCallId?: CallId;
  readonly principal: Principal;
  readonly tool: string;
  /** True if the tool changes nothing permanently. */
  readonly readOnly: boolean;
  readonly args: JsonObject;
  readonly effects: readonly ResolvedEffect[];
  /** True if the call may run before its decision is written to disk, because nothing depends on that record. */
  readonly isRecordedLate?: boolean;
  readonly origin: Origin;
  readonly place: Place;
  /** The environment in which commands run. The analysis starts with its shell state and resolves paths in it. */
  readonly environment?: Pick<Environment, "state" | "files"> & Partial<Pick<Environment, "processes">>;
  /** Untrusted sources that the model has read in this turn. */
  readonly tainted: readonly TextSource[];
  /** Returns the change that the call would make, to show it to a person. Called only if approval is needed. */
  readonly preview?: (signal: AbortSignal) => Promise<string | undefined>;
  /** Hooks that require approval, with their reasons. Only a person may approve these questions. */
  readonly askedBy?: readonly HookQuestion[];
  /** Returns whether the tool would reject the call even after an approval. May read the files that the call uses. */
  isRefused?(): Promise<boolean>;
}

/** `ruleKey` is the name of the hook's own rule. */
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
      /** The questions that are still unanswered. */
      readonly asks?: readonly Pick<Ask, "rule" | "reason" | "covers">[];
    };

export interface Allowed {
  readonly decision: "allow";
  /** True if a person approved the call, now or by an earlier approval. False for approval by a model or a mode. */
  readonly byPerson?: true;
  /** Sources of texts in the result, in addition to those that the tool declares. */
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
  /** The rule and its exact subject. The question is answered only by a grant that covers both. */
  readonly key: string;
  readonly rule: string;
  readonly reason: string;
  /** The ranges of the question's text that caused it. */
  readonly spans: readonly Span[];
  /** The rule that a session-wide or permanent approval would store. Undefined: only a single approval is possible. */
  readonly covers?: string;
}

/**
 * How a call is decided: every source is evaluated, and any deny is final. The analysis and ask rules add questions;
 * allow rules, grants and the smart review remove only questions whose key they cover. If no question is left, the call
 * is allowed.
 */
export interface PolicySource {
  readonly name: string;
  /** Whether the source can have an opinion about this call. Default: about every call. */
  concerns?(request: PolicyRequest): boolean;
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

/** How a question ended. Only `answered` means that a person answered. */
export type QuestionOutcome =
  | { readonly how: "answered"; readonly answer: Answer; readonly by: string }
  | { readonly how: "timeout" | "aborted" | "no_approver" };

/**
 * The abort reason of the signal that a surface gets: the question has already been decided. `outcome` is undefined if
 * the call was stopped.
 */
export class QuestionSettled extends Error {
  readonly outcome: QuestionOutcome | undefined;

  constructor(outcome?: QuestionOutcome) {
    super("the question was already decided");
    this.outcome = outcome;
  }
}

/** A question as it is shown and stored. Secrets are masked. */
export interface Question {
  readonly sessionId: SessionId;
  /** The session whose surfaces show it: the session of the call or its parent. */
  readonly shownIn: SessionId;
  /**
   * The child agent that made the call: `review`, or its goal. Undefined: the call belongs to the user's own session.
   */
  readonly agent?: string;
  /** The background session that made the call: its number and prompt. */
  readonly background?: string;
  readonly turnId?: TurnId;
  readonly callId: CallId;
  readonly parentCallId?: CallId;
  readonly principal: string;
  /** Another principal that can see and answer the question. */
  readonly owner?: string;
  readonly origin: Origin;
  readonly tool: string;
  /** The full command, or the effects of the call. `spans` of asks refer to this text. */
  readonly text: string;
  readonly cwd: string;
  readonly backend: string;
  readonly asks: readonly Ask[];
  /** True if the call runs outside the sandbox once it is approved. */
  readonly leavesSandbox?: boolean;
  /** The change of a file: a diff, or its size and first lines. */
  readonly preview?: string;
}

/** A question as a person sees it. */
export type ApprovalQuestion = Pick<
  Question,
  "agent" | "background" | "tool" | "text" | "cwd" | "backend" | "asks" | "leavesSandbox" | "preview"
>;

export interface PendingApproval extends Question {
  readonly id: ApprovalId;
  readonly askedAt: number;
  /** The time at which the question is denied if nobody has answered. */
  readonly expiresAt: number;
}

/** Shows questions to a person, for example in a terminal, a chat or a web page. */
export interface ApprovalSurface {
  readonly name: string;
  /**
   * Returns the person's answer, or undefined if the question was answered elsewhere; then the signal is aborted. May
   * reject.
   */
  ask(pending: PendingApproval, signal: AbortSignal): Promise<Answer | undefined>;
}

/** The questions that a surface shows: those of one session and its children, or of all sessions of one principal. */
export type Audience = { readonly session: SessionId } | { readonly principal: Principal };

/** Registers a surface. `name` says where its answers come from, such as `the terminal`. */
export interface Answerer {
  readonly principal: Principal;
  readonly name: string;
}

/**
 * Keeps questions until somebody answers. They are stored on disk, shown on the surfaces of their session, and can be
 * answered there or from another program of the same principal. A question without a surface is denied.
 */
export interface ApprovalDesk {
  /** Adds a surface. Questions that are already pending are shown too. */
  attach(surface: ApprovalSurface, audience: Audience): Disposable;
  ask(question: Question, signal: AbortSignal): Promise<QuestionOutcome>;
  /**
   * Lists the questions of one principal and of the principals that it owns, from every program of this home, oldest
   * first.
   */
  pending(who: Principal): Promise<readonly PendingApproval[]>;
  /** Answers a question. Only the principal that made the call, or its owner, can answer. The first answer wins. */
  answer(id: string, answer: Answer, by: Answerer): Promise<Result<PendingApproval>>;
}

export interface SessionApprovalDesk {
  mode(): ApprovalMode;
  /** Changes the approval mode until the session closes. The settings stay unchanged. */
  setMode(mode: ApprovalMode): void;
  /** The rules that a person granted for this session. They also apply after a resume. */
  grants(): readonly string[];
  /** Removes all rules that were granted for this session. */
  revokeGrants(): void;
  /**
   * Shows the questions of this session and of the sessions that it starts, until the result is disposed or the session
   * closes.
   */
  attach(surface: ApprovalSurface): Disposable;
  pending(): Promise<readonly PendingApproval[]>;
  /** Answers a question. `name` says where the answer came from. */
  answer(id: string, answer: Answer, name: string): Promise<Result<PendingApproval>>;
}

/** The state of one session that decisions about its calls depend on. */
export interface SessionApprovals {
  /** The user's own session. A session that an agent starts shares the approvals of its parent. */
  readonly id: SessionId;
  mode(): ApprovalMode;
  /** The rules that a person granted for the session, as text. */
  grants(): readonly string[];
  grant(rules: readonly string[]): void;
  /** The model that gives a second opinion in smart mode. Its cost is recorded in the session. */
  readonly reviewer?: ApprovalReviewer;
  /** The child agent that uses the session: its name, or its goal. */
  readonly agent?: string;
  /** The background session that uses the session: its number and prompt. */
  readonly background?: string;
  /** True if questions are denied when nobody can answer, regardless of the settings. */
  readonly isDeniedUnattended?: boolean;
}

/** A second opinion on a command, given by a model. It may only approve harmless commands. Never rejects. */
export interface ApprovalReviewer {
  review(prompt: string, signal: AbortSignal): Promise<Result<string>>;
}
