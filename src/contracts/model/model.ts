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
  /** The prefix that ends with this part is the same in every request, so the provider can cache it. */
  readonly cache?: boolean;
}

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly SystemPart[];
  readonly messages: readonly Message[];
  /** Tools in a stable order: equal tools give equal bytes. */
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
  /** Estimated, because the provider reported nothing. */
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
  /** Cause and next step, for a person. Never contains a key. */
  readonly message: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The key is exhausted until then and is not used before. */
  readonly resetsAt?: number;
  /** The context window that the provider reports for this model. */
  readonly contextTokens?: number;
  /** True: a limit of the plan, not per minute: another key helps, waiting does not. */
  readonly plan?: boolean;
}

/** The reaction to an error. */
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
  /** Never throws. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<AttemptEvent>;
}

export interface Price {
  /** US dollars for a million tokens. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Prices of requests with more input than this. */
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
  /** Source of the window: `config`, `learned`, `endpoint`, `list` (a public list), `table`, `assumed`. */
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
      /** Undefined: a model without an address. */
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
    }
  /** The mixture called another model before its answer. The receiver records its cost. */
  | ({ readonly type: "consulted" } & ConsultedModel)
  | {
      readonly type: "finish";
      readonly message: AssistantMessage;
      readonly usage: Usage;
      readonly by: ModelFacts;
      /** Estimated number of input tokens that the client added to the request. */
      readonly addedTokens?: number;
    }
  | { readonly type: "error"; readonly error: ModelError };

/** The result of one of the models that a mixture calls before it answers. */
export interface ConsultedModel {
  readonly provider: string;
  readonly model: string;
  readonly durationMs: number;
  /** Its answer. Undefined: it failed, or the settings hide it. */
  readonly text?: string;
  readonly error?: ModelError;
  /** Undefined: there was no answer with a cost. */
  readonly usage?: Usage;
}

/** A model, together with keys, retries, repairs and fallbacks. */
export interface ModelClient {
  /** Facts about the model that is tried first. Changes when Hermes learns its window. */
  facts(): ModelFacts;
  /** Never throws. The last event is always `finish` or `error`. The caller handles `context_overflow`. */
  stream(
    request: Omit<ModelRequest, "model">,
    signal: AbortSignal,
    classify?: ClassifyError,
  ): AsyncIterable<ModelEvent>;
  /** The client for auxiliary requests: a mixture would ask all its models. Undefined: this client. */
  readonly beside?: ModelClient;
}

/** Reads the meaning of an error, before the client reacts to it. */
export type ClassifyError = (error: ModelError) => Promise<ModelError>;

/** The models that a conversation can use. */
export interface ModelSource {
  /** `provider/model`, a model or an alias; default: the settings. `provider`: only this provider may serve it. */
  open(name?: string, provider?: string): Promise<Result<ModelClient>>;
  /** Whether another model can describe images for this one, which cannot see them. Default: no. */
  describesImages?(main: ModelFacts): boolean;
}
