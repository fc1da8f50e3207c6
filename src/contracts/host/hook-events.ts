import type { CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { SkillAuthor } from "../knowledge/skill.ts";
import type { AssistantMessage, ContentPart, Message, ToolCall } from "../model/message.ts";
import type { ModelError, ModelErrorAction, ModelRequest, Usage } from "../model/model.ts";
import type { Answer, Ask, HookQuestion, QuestionOutcome } from "../safety/approval.ts";
import type { AgentReport } from "../session/agents.ts";
import type { TurnEnd } from "../session/event.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { ChangeNote } from "./middleware.ts";
import type { InboundMessage } from "./platform.ts";

/**
 * Facts about a session that are the same in all its events. Undefined outside of a session, and for components without
 * a user.
 */
export interface SessionFacts {
  /** Where the session runs: `cli`, `library`, or the name of a chat platform. */
  readonly platform?: string;
  /** The id of the principal on whose behalf the session runs. */
  readonly senderId?: string;
  readonly parentSessionId?: SessionId;
}

/** Facts that every hook receives, in addition to those of its own event. */
export type InSession<Facts> = Facts & SessionFacts & { readonly sessionId: SessionId; readonly turnId?: TurnId };

/**
 * Adds the facts about one call. `parentCallId`: the call that made a nested call; `requestId`: the request whose
 * answer contains the call.
 */
export type InCall<Facts> = InSession<Facts> & { readonly parentCallId?: CallId; readonly requestId?: string };

/** Adds the facts about one request to a model. */
export type InModelCall<Facts> = InSession<Facts> & {
  /** The same id for all attempts at one request. */
  readonly requestId: string;
  /** Starts at 1 in each turn. */
  readonly callCount: number;
  /** Starts at 1; also counts attempts with other keys and providers. */
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly protocol?: string;
};

/** Events for observers. The return value or error of an observer changes nothing. */
export interface Observed {
  sessionStart: InSession<{ readonly source: string; readonly model?: string }>;
  sessionEnd: InSession<{ readonly reason: string }>;
  sessionReset: InSession<{ readonly source: string }>;
  /** The prompt is stored; nothing was sent to the model yet. */
  turnStart: InSession<{
    readonly prompt: readonly ContentPart[];
    readonly history: readonly Message[];
    readonly model: string;
    readonly isFirstTurn: boolean;
  }>;
  turnEnd: InSession<{
    readonly outcome: TurnEnd;
    /** The answer of the model. It may be partial. */
    readonly text: string;
    readonly why?: string;
    readonly prompt: readonly ContentPart[];
    readonly messages: readonly Message[];
    readonly model: string;
    readonly usage: Usage;
  }>;
  beforeModelCall: InModelCall<{
    readonly request: ModelRequest;
    /** Estimated size of the request. */
    readonly tokens: number;
    readonly startedAt: number;
    readonly trace: readonly ChangeNote[];
  }>;
  afterModelCall: InModelCall<{
    readonly request: ModelRequest;
    readonly response: AssistantMessage;
    readonly usage: Usage;
    readonly durationMs: number;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly firstChunkAt?: number;
  }>;
  /** Fires for each failed attempt, with the reaction to the failure. */
  modelCallFailed: InModelCall<{
    readonly request: ModelRequest;
    readonly error: ModelError;
    readonly next: ModelErrorAction;
    readonly maxRetries?: number;
    readonly waitMs?: number;
    readonly durationMs: number;
    readonly startedAt: number;
  }>;
  streamStart: InSession<{ readonly model: string; readonly requestId: string }>;
  streamDelta: InSession<{ readonly delta: string; readonly requestId: string }>;
  streamEnd: InSession<{ readonly model: string; readonly requestId: string; readonly text: string }>;
  interimMessage: InSession<{ readonly text: string; readonly requestId?: string }>;
  afterToolCall: InCall<{
    readonly call: ToolCall;
    readonly args: JsonObject;
    readonly result: ToolResult;
    readonly status: CallStatus;
    readonly durationMs: number;
    readonly trace: readonly ChangeNote[];
  }>;
  beforeCompression: InSession<{ readonly messages: readonly Message[]; readonly tokens: number }>;
  afterCompression: InSession<{ readonly tokensBefore: number; readonly tokensAfter: number }>;
  subagentStart: InSession<{
    readonly parentId: SessionId;
    readonly parentAgentId?: string;
    readonly agentId: string;
    readonly goal: string;
    readonly role: string;
  }>;
  subagentStop: InSession<{
    readonly parentId: SessionId;
    readonly role: string;
    readonly summary: string;
    readonly status: AgentReport["status"];
    readonly calls: readonly { readonly tool: string; readonly status: CallStatus }[];
    readonly durationMs: number;
  }>;
  /**
   * `text` is the command or the effects that need approval; `shownIn` is the session whose surfaces show the question.
   */
  approvalRequested: InCall<ApprovalFacts>;
  approvalAnswered: InCall<
    ApprovalFacts & { readonly answer: Answer; readonly how: QuestionOutcome["how"]; readonly by?: string }
  >;
  commandRun: InSession<{ readonly command: string; readonly args: string }>;
  /** `uses` is the number of times the skill was viewed or used; undefined if it was not counted. */
  skillChanged: InSession<{
    readonly skill: string;
    readonly action: string;
    readonly by: SkillAuthor;
    readonly uses?: number;
  }>;
}

export type CallStatus = "ok" | "error" | "blocked" | "cancelled" | "timeout";

interface ApprovalFacts {
  readonly callId: CallId;
  readonly tool: string;
  readonly text: string;
  readonly asks: readonly Ask[];
  readonly shownIn: SessionId;
  readonly surfaces: readonly string[];
}

/**
 * Events that a hook may answer. Hooks run in the order of registration, and the first answer wins, with two
 * exceptions. For `beforeToolCall` every hook runs, each one sees the arguments that the previous ones changed, and the
 * first block is final. For `beforeTurn` all returned contexts are used. `outcome` is the combined result if it is not
 * a single reply.
 */
export interface Intercepted {
  /**
   * `block` is a text for the model; `ask` requires approval by a person; new `args` are validated and checked again.
   */
  beforeToolCall: {
    readonly event: InCall<{
      readonly call: ToolCall;
      readonly args: JsonObject;
      /** The middleware that changed the arguments before this hook runs. */
      readonly trace: readonly ChangeNote[];
    }>;
    readonly reply:
      | { readonly block: string }
      | { readonly ask?: string; readonly ruleKey?: string; readonly args?: JsonObject };
    readonly outcome: { readonly block: string; readonly by: string } | HookRequests;
  };
  transformToolResult: {
    readonly event: InCall<{
      readonly call: ToolCall;
      readonly args: JsonObject;
      readonly result: ToolResult;
      readonly status: CallStatus;
      readonly durationMs: number;
    }>;
    readonly reply: ToolResult;
  };
  transformTerminalOutput: {
    readonly event: InSession<{
      readonly command: string;
      readonly output: string;
      readonly exitCode?: number;
      readonly backend: string;
    }>;
    readonly reply: string;
  };
  /** Once per turn, before the first request: text for this turn's user message, never stored, never in the system prompt. */
  beforeTurn: {
    readonly event: InSession<{
      readonly prompt: readonly ContentPart[];
      readonly history: readonly Message[];
      readonly model: string;
      readonly isFirstTurn: boolean;
    }>;
    readonly reply: { readonly context: string };
  };
  transformAnswer: {
    readonly event: InSession<{ readonly text: string; readonly model: string }>;
    readonly reply: string;
  };
  /** Fires before an answer that would end a turn with changed files. A reply continues the turn. */
  beforeVerify: {
    readonly event: InSession<{
      readonly answer: string;
      readonly changedPaths: readonly string[];
      readonly attempt: number;
      readonly model: string;
      /** True if code was changed. */
      readonly isCoding: boolean;
    }>;
    readonly reply: { readonly continueWith: string };
  };
  classifyModelError: {
    readonly event: InSession<{
      readonly error: ModelError;
      readonly status?: number;
      readonly body: string;
      readonly requestId: string;
      readonly provider: string;
      readonly model: string;
    }>;
    readonly reply: ModelError;
  };
  beforeInbound: {
    readonly event: InSession<{ readonly message: InboundMessage }>;
    readonly reply: { readonly skip: true } | { readonly rewrite: string };
  };
}

/** The result for a call that no hook blocked: the hooks that require approval, and the arguments after all hooks. */
export interface HookRequests {
  readonly askedBy: readonly HookQuestion[];
  readonly args?: JsonObject;
}
