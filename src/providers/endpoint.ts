import type { HttpTimeouts } from "../base/http/http-timeouts.ts";
import type { JsonObject } from "../base/json.ts";
import type { SchemaProvider } from "./schema/provider-rules.ts";

export const protocols = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;
export type Protocol = (typeof protocols)[number];

/** The address and key for requests to one model. Immutable. */
export interface Endpoint {
  readonly providerId: string;
  readonly protocol: Protocol;
  /** The address before the protocol's path, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** The key. It is sent only to the origin of `baseUrl`. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** A local program that answers instead of a server, over the Agent Client Protocol. */
export interface ProgramEndpoint {
  readonly providerId: string;
  readonly protocol: "acp";
  readonly program: AgentCommand;
  readonly quirks?: Quirks;
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** How to start the program, and advice for the user if it is missing. */
export interface AgentCommand {
  /** A name on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables that override the command; the first one that is set is used. */
  readonly commandVars: readonly string[];
  /** Environment variables that are passed to the program although they contain keys. */
  readonly passes: readonly string[];
  /** Environment variables that replace the user's values. */
  readonly env: Readonly<Record<string, string>>;
  /** The environment variable that selects the model, for versions without another way to select it. */
  readonly modelVar: string;
  /** Prefixes of text that the program itself writes, not its model. */
  readonly notices: readonly string[];
  /** The prefix of text that reports an error of the program's model. */
  readonly failureMark: string;
  readonly install: string;
  readonly signIn: string;
}

/** The differences of this provider from its protocol. Undefined fields: as in the protocol. */
export interface Quirks {
  readonly auth?: AuthStyle;
  /** The scope of AWS signatures. */
  readonly aws?: { readonly region: string; readonly service: string };
  /**
   * Replaces the protocol's path. `{model}` is replaced by the model (Azure:
   * `/openai/deployments/{model}/chat/completions`).
   */
  readonly path?: string;
  /** Query parameters, e.g. `api-version`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Fields that are merged into the body last. A field of `null` removes the field. */
  readonly body?: JsonObject;
  /** The schema rules that tool parameters must follow. */
  readonly schema?: SchemaProvider;
  /** The name of the field for the output limit (chat). `omit`: the provider rejects such a field. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | "omit";
  /** The default output limit. Anthropic requires one. */
  readonly defaultMaxTokens?: number;
  /** The highest output limit that the provider accepts. */
  readonly maxOutputTokens?: number;
  /** The temperature to send. Undefined: none is sent. */
  readonly temperature?: number | undefined;
  /** The role of the system prompt. `user`: it starts the first user message. */
  readonly systemRole?: "system" | "developer" | "user" | "instructions";
  /** True if user and assistant messages must alternate, so that consecutive ones are joined. */
  readonly strictTurns?: boolean;
  /** If `false`, images are replaced by a note. */
  readonly images?: boolean;
  /** True if whole videos can be sent, as `video_url` (chat). */
  readonly videos?: boolean;
  /** True if tool results may contain images. Otherwise the images are sent in a user message. */
  readonly imagesInToolResults?: boolean;
  /** If `false`, the content of a tool message must be one text. */
  readonly listToolContent?: boolean;
  /** How requests specify the reasoning effort. `none`: they do not. */
  readonly reasoning?: ReasoningStyle;
  /** The efforts that the provider supports. Other efforts are mapped to the nearest one. */
  readonly efforts?: readonly string[];
  /** If `false`, reasoning of earlier answers is not sent back. */
  readonly replayReasoning?: boolean;
  /**
   * True if the provider rejects answers that contain calls but no `reasoning_content` (DeepSeek, Moonshot). Answers of
   * other models get an empty one.
   */
  readonly needsReasoningContent?: boolean;
  /** True if the provider supports `cache_control` marks. Default for Anthropic: true. */
  readonly cacheControl?: boolean;
  readonly cacheTtl?: boolean;
  /** If `false`, a model may make only one call at a time. */
  readonly parallelToolCalls?: boolean;
  /** If `false`, the provider rejects `stream_options`. */
  readonly streamUsage?: boolean;
  /** If `false`, answers are not streamed. */
  readonly streaming?: boolean;
  /** True if call ids must have Mistral's format: nine letters and digits. */
  readonly shortCallIds?: boolean;
  /** The body field and the header that contain the conversation id, which the provider uses for routing. */
  readonly conversationField?: string;
  readonly conversationHeader?: string;
  /** Body fields that request faster processing. Undefined: the provider does not offer it. */
  readonly fast?: JsonObject;
}

/** How the key is sent. `aws`: the key is not sent; the request is signed with it. */
export type AuthStyle = "bearer" | "x-api-key" | "api-key" | "x-goog-api-key" | "query" | "none" | "aws";

/**
 * - `effort`: `reasoning_effort: "high"`
 * - `object`: `reasoning: { effort, enabled }` (OpenRouter, Nous)
 * - `thinking`: `thinking: { type: "enabled" | "disabled" }` (Z.AI, Moonshot, DeepSeek)
 * - `enable_thinking`: `enable_thinking: true` (Qwen)
 * - `template`: `chat_template_kwargs: { enable_thinking }` (vLLM, llama.cpp)
 * - `budget`: `thinking.budget_tokens`; `adaptive`: `output_config.effort` (Anthropic; default: by the model's name)
 * - `none`
 */
export type ReasoningStyle =
  | "effort"
  | "object"
  | "thinking"
  | "enable_thinking"
  | "template"
  | "budget"
  | "adaptive"
  | "none";

export type Lookup = (name: string) => string | undefined;
