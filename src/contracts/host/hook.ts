import type { CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ContentPart, Message, ToolCall } from "../model/message.ts";
import type { ModelError, ModelRequest, Usage } from "../model/model.ts";
import type { Answer, Ask } from "../safety/approval.ts";
import type { AgentReport } from "../session/agents.ts";
import type { TurnEnd } from "../session/event.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { InboundMessage } from "./platform.ts";

/** Facts that every hook receives besides its own. */
export type In<Facts> = Facts & { readonly sessionId: SessionId; readonly turnId?: TurnId };

/** The same for a hook about one call. `parentCallId`: the call that made a nested call. */
export type InCall<Facts> = In<Facts> & { readonly parentCallId?: CallId };

/** Facts for observers. The return value or error of an observer changes nothing. */
export interface Observed {
  sessionStart: In<{ readonly source: string; readonly model?: string }>;
  sessionEnd: In<{ readonly reason: string }>;
  sessionReset: In<{ readonly source: string }>;
  turnEnd: In<{
    readonly outcome: TurnEnd;
    readonly messages: readonly Message[];
  }>;
  beforeModelCall: In<{ readonly request: ModelRequest; readonly attempt: number }>;
  afterModelCall: In<{
    readonly request: ModelRequest;
    readonly response: Message;
    readonly usage: Usage;
    readonly durationMs: number;
  }>;
  modelCallFailed: In<{ readonly request: ModelRequest; readonly error: ModelError; readonly attempt: number }>;
  streamStart: In<{ readonly model: string }>;
  streamDelta: In<{ readonly delta: string }>;
  streamEnd: In<{ readonly model: string }>;
  interimMessage: In<{ readonly text: string }>;
  afterToolCall: InCall<{
    readonly call: ToolCall;
    readonly args: JsonObject;
    readonly result: ToolResult;
    readonly status: "ok" | "error" | "blocked" | "cancelled" | "timeout";
    readonly durationMs: number;
  }>;
  beforeCompression: In<{ readonly messages: readonly Message[]; readonly tokens: number }>;
  afterCompression: In<{ readonly tokensBefore: number; readonly tokensAfter: number }>;
  subagentStart: In<{ readonly parentId: SessionId; readonly goal: string; readonly role: string }>;
  subagentStop: In<{
    readonly parentId: SessionId;
    readonly summary: string;
    readonly status: AgentReport["status"];
    readonly durationMs: number;
  }>;
  approvalRequested: InCall<{ readonly callId: CallId; readonly asks: readonly Ask[] }>;
  approvalAnswered: InCall<{ readonly callId: CallId; readonly answer: Answer }>;
  skillChanged: In<{ readonly skill: string; readonly action: string }>;
}

/**
 * Moments at which a hook may answer. Hooks run in the order of registration and the first answer counts, with two
 * exceptions: for `beforeToolCall` every hook runs, the next one sees the new arguments, and the first block is final;
 * for `beforeTurn` the bus keeps every context. `outcome`: the combined result, where it is not a single reply.
 */
export interface Intercepted {
  /** `block`: text for the model; `ask`: sends the call to a person; new `args` are validated and judged again. */
  beforeToolCall: {
    readonly event: InCall<{ readonly call: ToolCall; readonly args: JsonObject }>;
    readonly reply: { readonly block: string } | { readonly ask?: string; readonly args?: JsonObject };
    readonly outcome: { readonly block: string; readonly by: string } | HookRequests;
  };
  transformToolResult: {
    readonly event: InCall<{ readonly call: ToolCall; readonly result: ToolResult }>;
    readonly reply: ToolResult;
  };
  transformTerminalOutput: {
    readonly event: In<{
      readonly command: string;
      readonly output: string;
      readonly exitCode?: number;
      readonly backend: string;
    }>;
    readonly reply: string;
  };
  /** Once per turn, before the first request: text for this turn's user message, never stored, never in the system prompt. */
  beforeTurn: {
    readonly event: In<{
      readonly prompt: readonly ContentPart[];
      readonly history: readonly Message[];
      readonly model: string;
    }>;
    readonly reply: { readonly context: string };
  };
  transformAnswer: { readonly event: In<{ readonly text: string }>; readonly reply: string };
  /** Before an answer that ends a turn with changed files: a reply keeps the turn going. */
  beforeVerify: {
    readonly event: In<{ readonly answer: string; readonly changedPaths: readonly string[]; readonly attempt: number }>;
    readonly reply: { readonly continueWith: string };
  };
  classifyModelError: {
    readonly event: In<{ readonly error: ModelError; readonly status?: number; readonly body: string }>;
    readonly reply: ModelError;
  };
  beforeInbound: {
    readonly event: In<{ readonly message: InboundMessage }>;
    readonly reply: { readonly skip: true } | { readonly rewrite: string };
  };
}

/** A call that no hook blocked: who wants a person to decide, and the arguments as the hooks left them. */
export interface HookRequests {
  readonly askedBy: readonly { readonly hook: string; readonly reason: string }[];
  readonly args?: JsonObject;
}

export type Outcome<K extends InterceptedName> = Intercepted[K] extends { readonly outcome: infer O }
  ? O
  : Intercepted[K]["reply"];

export type ObservedName = keyof Observed;
export type InterceptedName = keyof Intercepted;
export type HookName = ObservedName | InterceptedName;

export type Observer<K extends ObservedName> = (event: Observed[K], signal: AbortSignal) => void | Promise<void>;
export type Interceptor<K extends InterceptedName> = (
  event: Intercepted[K]["event"],
  signal: AbortSignal,
) => Intercepted[K]["reply"] | undefined | Promise<Intercepted[K]["reply"] | undefined>;

export type Hooks = { readonly [K in ObservedName]?: Observer<K> } & {
  readonly [K in InterceptedName]?: Interceptor<K>;
};

export interface HookOptions {
  readonly timeoutMs?: number;
  /**
   * A policy hook: a crash, a timeout or a malformed answer of its `beforeToolCall` blocks the call. Failures of other
   * hooks are logged and ignored.
   */
  readonly enforce?: boolean;
}

/** Crash-isolated and bounded in time: neither `notify` nor `ask` ever rejects. */
export interface HookBus {
  /** Throws for an unknown hook name, with the nearest known one. */
  add(owner: string, hooks: Hooks, options?: HookOptions): Disposable;
  notify<K extends ObservedName>(name: K, event: Observed[K], signal: AbortSignal): Promise<void>;
  ask<K extends InterceptedName>(
    name: K,
    event: Intercepted[K]["event"],
    signal: AbortSignal,
  ): Promise<Outcome<K> | undefined>;
  /** Whether a hook is registered. Lets a hot path skip building the event. */
  has(name: HookName): boolean;
}

export const originalHookNames: Readonly<Record<string, HookName>> = {
  pre_tool_call: "beforeToolCall",
  post_tool_call: "afterToolCall",
  transform_tool_result: "transformToolResult",
  transform_terminal_output: "transformTerminalOutput",
  pre_llm_call: "beforeTurn",
  post_llm_call: "turnEnd",
  transform_llm_output: "transformAnswer",
  pre_verify: "beforeVerify",
  pre_api_request: "beforeModelCall",
  post_api_request: "afterModelCall",
  api_request_error: "modelCallFailed",
  transform_api_error_classification: "classifyModelError",
  on_stream_start: "streamStart",
  on_stream_delta: "streamDelta",
  on_stream_end: "streamEnd",
  on_interim_message: "interimMessage",
  on_session_start: "sessionStart",
  on_session_end: "turnEnd",
  on_session_finalize: "sessionEnd",
  on_session_reset: "sessionReset",
  subagent_start: "subagentStart",
  subagent_stop: "subagentStop",
  pre_approval_request: "approvalRequested",
  post_approval_response: "approvalAnswered",
  pre_gateway_dispatch: "beforeInbound",
  on_skill_lifecycle: "skillChanged",
};

/** One line per hook. The type keeps the list complete. */
export const hookFacts: {
  readonly [K in HookName]: {
    readonly kind: K extends ObservedName ? "observer" : "interceptor";
    readonly when: string;
    /** The feature that will fire the hook. Nothing fires it yet; without this field something does. */
    readonly waitsFor?: string;
  };
} = {
  sessionStart: { kind: "observer", when: "a session starts" },
  sessionEnd: { kind: "observer", when: "a session is closed" },
  sessionReset: { kind: "observer", when: "the user leaves a session for a new one" },
  beforeTurn: {
    kind: "interceptor",
    when: "once per turn, before the first request; may add text to this turn's user message",
  },
  turnEnd: { kind: "observer", when: "a turn ended, with all its messages and its outcome" },
  beforeModelCall: { kind: "observer", when: "before each request to a model, with the messages" },
  afterModelCall: { kind: "observer", when: "after each answer of a model, with request, response and usage" },
  modelCallFailed: { kind: "observer", when: "a request failed" },
  classifyModelError: {
    kind: "interceptor",
    when: "an error of a model is classified; may say what it is",
  },
  streamStart: { kind: "observer", when: "an answer starts to stream" },
  streamDelta: { kind: "observer", when: "a piece of an answer arrived" },
  streamEnd: { kind: "observer", when: "an answer was streamed" },
  interimMessage: { kind: "observer", when: "the agent says something between tool calls" },
  transformAnswer: { kind: "interceptor", when: "before an answer is shown; may replace its text" },
  beforeVerify: {
    kind: "interceptor",
    when: "before an answer ends a turn that changed files; may keep the turn going",
  },
  beforeToolCall: { kind: "interceptor", when: "before a call; may block it, ask a person, or change its arguments" },
  transformToolResult: {
    kind: "interceptor",
    when: "after a call, before redaction and bounds; may replace the result",
  },
  transformTerminalOutput: {
    kind: "interceptor",
    when: "after a command; may replace its output",
  },
  afterToolCall: { kind: "observer", when: "after a call, with the result as the model sees it" },
  approvalRequested: { kind: "observer", when: "a person is asked" },
  approvalAnswered: { kind: "observer", when: "a person answered, or nobody did" },
  beforeCompression: { kind: "observer", when: "before the context is compressed" },
  afterCompression: { kind: "observer", when: "after the context was compressed" },
  subagentStart: { kind: "observer", when: "a child agent starts", waitsFor: "subagents" },
  subagentStop: { kind: "observer", when: "a child agent ended", waitsFor: "subagents" },
  skillChanged: { kind: "observer", when: "a skill was created, changed or deleted" },
  beforeInbound: {
    kind: "interceptor",
    when: "a chat message arrived; may skip or rewrite it",
    waitsFor: "chat platforms",
  },
};
