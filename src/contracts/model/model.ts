import type { Result } from "../../base/result.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import type { AssistantMessage, Message } from "./message.ts";

export const reasoningEfforts = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/** Parses the reasoning effort in a setting or on a command line; undefined for an unknown word. */
export function effortNamed(word: string): ReasoningEffort | undefined {
  const name = word.trim().toLowerCase();
  return effortAliases.get(name) ?? reasoningEfforts.find((effort) => effort === name);
}

/** Aliases that other programs use. The highest effort in Hermes is `xhigh`. */
const effortAliases: ReadonlyMap<string, ReasoningEffort> = new Map([
  ["none", "off"],
  ["max", "xhigh"],
  ["ultra", "xhigh"],
]);

export interface SystemPart {
  readonly text: string;
  /** True if the prefix that ends with this part is the same in every request, so that the provider can cache it. */
  readonly cache?: boolean;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemPart[];
  readonly messages: readonly Message[];
  /** The tools in a stable order, so that equal tools produce an identical request. */
  readonly tools: readonly ToolDefinition[];
  /** Indexes of messages after which a cached prefix may end, for providers that support such marks. */
  readonly cacheMarks?: readonly number[];
  readonly cacheTtl?: "5m" | "1h";
  readonly maxTokens?: number;
  readonly reasoning?: ReasoningEffort;
  /** Requests faster and more expensive processing, if the provider supports it. */
  readonly isFast?: boolean;
  /** `none`: the tools stay in the request, so that its prefix stays the same, but the model may not call them. */
  readonly toolChoice?: "auto" | "none";
  /** An id that is the same for all requests of a conversation, for providers that use it for routing. */
  readonly conversation?: string;
}

/** Token counts. `input` counts everything that was sent, cached or not; `output` includes reasoning. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly costUsd?: number;
  /** True if the counts are estimates because the provider reported none. */
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
  /** Reasoning from another provider, or that the provider cannot read. */
  | "reasoning_rejected"
  /** The certificate of the other side is not trusted here. */
  | "certificate"
  | "stalled"
  | "network"
  | "malformed"
  | "aborted";

export interface ModelError {
  readonly kind: ModelErrorKind;
  /** Tells the user the cause and what to do. Never contains a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The time until which the key is exhausted. It is not used before then. */
  readonly resetsAt?: number;
  /** The context window that the provider reports for this model. */
  readonly contextTokens?: number;
  /** True if the limit belongs to the plan and not to a rate per minute: another key helps, waiting does not. */
  readonly plan?: boolean;
}

/** How the client reacts to an error. */
/** The number of a retry, and how many there are at most. */
export interface RetryCount {
  readonly number: number;
  readonly of: number;
}

export type ModelErrorAction = "retry" | "rotate_key" | "fallback" | "repair" | "give_up";

/** Events of one attempt. */
export type ModelDelta =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  /** A part of a call: `delta` is the next piece of its arguments. */
  | { readonly type: "call"; readonly index: number; readonly name?: string; readonly delta: string };

/** One attempt at one provider with one key. The last event is always `finish` or `error`. */
export type AttemptEvent =
  | ModelDelta
  | { readonly type: "finish"; readonly message: AssistantMessage; readonly usage: Usage | undefined }
  | { readonly type: "error"; readonly error: ModelError };

/** A provider from a plugin or the table of endpoints: one request, one attempt. */
export interface ModelProvider {
  readonly id: string;
  /** Sends one request. Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
}

export interface Price {
  /** US dollars for a million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The prices of requests whose input exceeds this number of tokens. */
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
  /**
   * Where the size of the context window comes from: `config`, `learned`, `endpoint`, `list` (a public list), `table`
   * or `assumed`.
   */
  readonly contextSource: string;
  readonly maxOutputTokens?: number;
  readonly vision: boolean;
  /** True if the model accepts whole videos. */
  readonly video?: boolean;
  /** Undefined: the price and the cost are unknown. All zero: free, or covered by a subscription. */
  readonly price?: Price;
  /** True for the built-in rule-based model, which is not an AI. */
  readonly offline?: boolean;
}

/** Events of a model client: attempts, errors with the reaction to them, and at the end one answer. */
export type ModelEvent =
  | {
      readonly type: "called";
      readonly provider: string;
      readonly model: string;
      /** Starts at 1; also counts attempts with other keys and providers. */
      readonly attempt: number;
      /** The address of the endpoint. Undefined for a model without an address. */
      readonly endpoint?: { readonly protocol: string; readonly baseUrl?: string };
    }
  | ModelDelta
  /** Discards all deltas since `called`, unless `next` is `give_up`. */
  | {
      readonly type: "failed";
      readonly error: ModelError;
      readonly next: ModelErrorAction;
      /** The reaction in words: "waiting 5 s", "the second key", "falling back to groq/llama". */
      readonly how: string;
      readonly waitMs?: number;
      readonly retry?: RetryCount;
    }
  /** The mixture called another model before its answer. The receiver records its cost. */
  | ({ readonly type: "consulted" } & ConsultedModel)
  | {
      readonly type: "finish";
      readonly message: AssistantMessage;
      readonly usage: Usage;
      readonly by: ModelFacts;
      /** The estimated number of input tokens that the client added to the request. */
      readonly addedTokens?: number;
    }
  | { readonly type: "error"; readonly error: ModelError };

/** The result of one of the models that a mixture calls before it answers. */
export interface ConsultedModel {
  readonly provider: string;
  readonly model: string;
  readonly durationMs: number;
  /** The answer of this model. Undefined if it failed or the settings hide it. */
  readonly text?: string;
  readonly error?: ModelError;
  /** The cost of the request. Undefined if no answer with a cost arrived. */
  readonly usage?: Usage;
}

/** Sends requests to a model and handles keys, retries, repairs and fallbacks. */
export interface ModelClient {
  /** Facts about the model that is tried first. Updated when Hermes learns the size of its context window. */
  facts(): ModelFacts;
  /** Never throws. The last event is always `finish` or `error`. The caller handles `context_overflow`. */
  stream(
    request: Omit<ModelRequest, "model">,
    signal: AbortSignal,
    classify?: ClassifyError,
  ): AsyncIterable<ModelEvent>;
  /**
   * The client for auxiliary requests, set because a mixture would query all its models. Undefined: use this client.
   */
  readonly beside?: ModelClient;
}

/** Classifies an error before the client reacts to it. */
export type ClassifyError = (error: ModelError) => Promise<ModelError>;

/** The models that a conversation can use. */
export interface ModelSource {
  /**
   * Opens a model by `provider/model`, by model name or by alias; default: the model in the settings. `provider`
   * restricts the choice to one provider.
   */
  open(name?: string, provider?: string): Promise<Result<ModelClient>>;
  /** Returns whether another model can describe images for a model that cannot see them. Default: no. */
  describesImages?(main: ModelFacts): boolean;
}
