import type { Intercepted, Observed } from "./hook-events.ts";
import type { Middleware, MiddlewareName, RegisteredMiddleware } from "./middleware.ts";

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
   * Marks a policy hook: if its `beforeToolCall` crashes, times out or returns a malformed answer, the call is blocked.
   * Failures of other hooks are logged and ignored.
   */
  readonly enforce?: boolean;
}

/** Hooks with their options. */
export interface HookEntry {
  readonly hooks: Hooks;
  readonly options: HookOptions;
}

/** Runs hooks. Catches their errors and limits their time: neither `notify` nor `ask` ever rejects. */
export interface HookBus {
  /** Registers a hook. Throws for an unknown hook name and suggests the most similar name. */
  add(owner: string, hooks: Hooks, options?: HookOptions): Disposable;
  notify<K extends ObservedName>(name: K, event: Observed[K], signal: AbortSignal): Promise<void>;
  ask<K extends InterceptedName>(
    name: K,
    event: Intercepted[K]["event"],
    signal: AbortSignal,
  ): Promise<Outcome<K> | undefined>;
  /** Whether a hook is registered. Lets a hot path skip building the event. */
  has(name: HookName): boolean;
  /** Adds middleware: it changes requests and wraps executions. */
  use(owner: string, middleware: Middleware, options?: Pick<HookOptions, "timeoutMs">): Disposable;
  /** The middleware of one kind, in the order of addition. */
  middleware<K extends MiddlewareName>(kind: K): readonly RegisteredMiddleware<K>[];
}

export const originalHookNames = {
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
  on_session_start: "turnStart",
  on_session_end: "turnEnd",
  on_session_finalize: "sessionEnd",
  on_session_reset: "sessionReset",
  subagent_start: "subagentStart",
  subagent_stop: "subagentStop",
  pre_approval_request: "approvalRequested",
  post_approval_response: "approvalAnswered",
  pre_gateway_dispatch: "beforeInbound",
  on_skill_lifecycle: "skillChanged",
  pre_context_compression: "beforeCompression",
  on_compression_complete: "afterCompression",
} as const satisfies Readonly<Record<string, HookName>>;
export type OriginalHookName = keyof typeof originalHookNames;

/** Alternative hook names, each with the original hook whose arguments and answers it uses. */
export const hookAliases = {
  "before-tool-call": "pre_tool_call",
  "after-tool-call": "post_tool_call",
  "before-response": "transform_llm_output",
  "context-compress": "pre_context_compression",
  "session-end": "on_session_finalize",
} as const satisfies Readonly<Record<string, OriginalHookName>>;

/** One line per hook. The type keeps the list complete. */
export const hookFacts: {
  readonly [K in HookName]: {
    readonly kind: K extends ObservedName ? "observer" : "interceptor";
    readonly when: string;
    /** The feature that will fire the hook. If set, nothing fires the hook yet. */
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
  turnStart: { kind: "observer", when: "a turn starts; its prompt is stored" },
  turnEnd: { kind: "observer", when: "a turn ended, with all its messages and its outcome" },
  beforeModelCall: { kind: "observer", when: "before each attempt at a request to a model, with the messages" },
  afterModelCall: { kind: "observer", when: "after each answer of a model, with request, response and usage" },
  modelCallFailed: { kind: "observer", when: "an attempt at a request failed, with the reaction to it" },
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
  subagentStart: { kind: "observer", when: "a child agent starts" },
  subagentStop: { kind: "observer", when: "a child agent ended" },
  commandRun: { kind: "observer", when: "a slash command runs" },
  skillChanged: { kind: "observer", when: "a skill was viewed, used, created, changed or deleted" },
  beforeInbound: {
    kind: "interceptor",
    when: "a chat message arrived; may skip or rewrite it",
    waitsFor: "chat platforms",
  },
};
