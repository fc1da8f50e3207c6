import type { Result } from "../../base/result.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import type { AssistantMessage, Message } from "./message.ts";

export const reasoningEfforts = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** The effort that a setting or a command line names; undefined for an unknown word. */
export function effortNamed(word: string): ReasoningEffort | undefined {
  const name = word.trim().toLowerCase();
  return effortAliases.get(name) ?? reasoningEfforts.find((effort) => effort === name);
}

/** Words of other programs. The highest effort here is `xhigh`. */
const effortAliases: ReadonlyMap<string, ReasoningEffort> = new Map([
  ["none", "off"],
  ["max", "xhigh"],
  ["ultra", "xhigh"],
]);

export interface SystemPart {
  readonly text: string;
  /** What lies before its end stays the same from request to request: worth keeping in the provider's cache. */
  readonly cache?: boolean;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemPart[];
  readonly messages: readonly Message[];
  /** In a stable order: equal tools give equal bytes. */
  readonly tools: readonly ToolDefinition[];
  /** Indexes of messages after which a provider that is told may end a cached prefix. */
  readonly cacheMarks?: readonly number[];
  readonly cacheTtl?: "5m" | "1h";
  readonly maxTokens?: number;
  readonly reasoning?: ReasoningEffort;
  /** `none`: the tools stay in the request, so that its prefix stays the same, and the model may not call them. */
  readonly toolChoice?: "auto" | "none";
  /** The same for all requests of a conversation, for providers that route by it. */
  readonly conversation?: string;
}

/** Tokens. `input` counts everything that was sent, cached or not; `output` counts reasoning too. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly costUsd?: number;
  /** The provider said nothing: counted here, roughly. */
  readonly estimated?: boolean;
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

export type ModelErrorKind =
  | "rate_limited"
  | "overloaded"
  | "server"
  | "auth"
  | "billing"
  | "not_found"
  | "content_policy"
  | "context_overflow"
  | "payload_too_large"
  | "schema_rejected"
  | "image_too_large"
  | "invalid_request"
  /** Reasoning that is not the provider's own any more, or that it cannot read. */
  | "reasoning_rejected"
  /** The certificate of the other side is not trusted here. */
  | "certificate"
  | "stalled"
  | "network"
  | "malformed"
  | "aborted";

export interface ModelError {
  readonly kind: ModelErrorKind;
  /** What happened and what to do, for a person. Never a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** A key that is used up until then is not asked before. */
  readonly resetsAt?: number;
  /** The window that the provider says this model has. */
  readonly contextTokens?: number;
  /** A limit of the plan, not of the minute: another key helps, waiting does not. */
  readonly plan?: boolean;
}

/** What is done about an error. */
export type ModelErrorAction = "retry" | "rotate_key" | "fallback" | "repair" | "give_up";

/** What one attempt says while it runs. */
export type ModelDelta =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** A call takes shape: `delta` is the next piece of its arguments. */
  | { readonly type: "call"; readonly index: number; readonly name?: string; readonly delta: string };

/** One attempt at one provider with one key. The last event is always `finish` or `error`. */
export type AttemptEvent =
  | ModelDelta
  | { readonly type: "finish"; readonly message: AssistantMessage; readonly usage: Usage | undefined }
  | { readonly type: "error"; readonly error: ModelError };

/** A provider as a plugin or the table of endpoints brings it: one request, one attempt. */
export interface ModelProvider {
  readonly id: string;
  /** Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
}

export interface Price {
  /** US dollars for a million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** What requests with more input than this cost. */
  readonly long?: {
    readonly above: number;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
  };
}

export interface ModelFacts {
  readonly provider: string;
  readonly model: string;
  readonly contextTokens: number;
  /** Where the window is known from: `config`, `learned`, `endpoint`, `table`, `assumed`. */
  readonly contextSource: string;
  readonly maxOutputTokens?: number;
  readonly vision: boolean;
  /** Left out: not known, and cost is said to be unknown. All zero: free, or paid by a subscription. */
  readonly price?: Price;
  /** The built-in rule-based one: no AI. */
  readonly offline?: boolean;
}

/** What a client tells while it asks: attempts, what went wrong and what it does about it, and at last one answer. */
export type ModelEvent =
  | {
      readonly type: "called";
      readonly provider: string;
      readonly model: string;
      /** From 1; also counts other keys and other providers. */
      readonly attempt: number;
    }
  | ModelDelta
  /** What was said since `called` does not count any more, unless `next` is `give_up`. */
  | {
      readonly type: "failed";
      readonly error: ModelError;
      readonly next: ModelErrorAction;
      /** In words: "waiting 5 s", "the second key", "falling back to groq/llama". */
      readonly how: string;
      readonly waitMs?: number;
    }
  /** Another model was asked for the sake of the answer to come. Who hears it books what it cost. */
  | ({ readonly type: "consulted" } & Consulted)
  | {
      readonly type: "finish";
      readonly message: AssistantMessage;
      readonly usage: Usage;
      readonly by: ModelFacts;
      /** So many tokens of the input, roughly, the client added to what it was asked. */
      readonly addedTokens?: number;
    }
  | { readonly type: "error"; readonly error: ModelError };

/** What came of asking one of the models that a mixture asks before it answers. */
export interface Consulted {
  readonly provider: string;
  readonly model: string;
  readonly durationMs: number;
  /** What it said. Left out: it failed, or nobody is to see it. */
  readonly text?: string;
  readonly error?: ModelError;
  /** Left out: there was no answer to pay for. */
  readonly usage?: Usage;
}

/** A model to talk to, with everything behind it that keeps an answer coming: keys, retries, repairs, fallbacks. */
export interface ModelClient {
  /** Of the model that is asked first. Changes when a window is learned. */
  facts(): ModelFacts;
  /** Never throws. The last event is always `finish` or `error`. `context_overflow` is the caller's to deal with. */
  stream(request: Omit<ModelRequest, "model">, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Who answers small questions beside the conversation in its place: a mixture would ask all its models. Left out: itself. */
  readonly beside?: ModelClient;
}

/** Where a conversation gets its models from. */
export interface ModelSource {
  /** `provider/model`, a model or an alias; left out: what the settings say. `provider`: nobody else may serve it. */
  open(name?: string, provider?: string): Promise<Result<ModelClient>>;
}
