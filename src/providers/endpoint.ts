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
  /** Sent only to the origin of `baseUrl`. */
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

/** How to start the program, and the advice when it is missing. */
export interface AgentCommand {
  /** A name on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that override the command; the first one set wins. */
  readonly commandVars: readonly string[];
  /** Variables that the program receives although they contain keys. */
  readonly passes: readonly string[];
  /** Variables that override the user's. */
  readonly env: Readonly<Record<string, string>>;
  /** The variable that selects the model, for versions without another way. */
  readonly modelVar: string;
  /** Prefixes of text that comes from the program, not from the model. */
  readonly notices: readonly string[];
  /** Prefix of text that reports an error of its model. */
  readonly failureMark: string;
  readonly install: string;
  readonly signIn: string;
}

/** How this provider differs from its protocol. Undefined: as in the protocol. */
export interface Quirks {
  readonly auth?: AuthStyle;
  /** The scope of AWS signatures. */
  readonly aws?: { readonly region: string; readonly service: string };
  /** Replaces the protocol's path; `{model}` is the model (Azure: `/openai/deployments/{model}/chat/completions`). */
  readonly path?: string;
  /** Query parameters, e.g. `api-version`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Merged into the body last. A field of `null` is left out. */
  readonly body?: JsonObject;
  /** The schema rules for tool parameters. */
  readonly schema?: SchemaProvider;
  /** Name of the output limit field (chat). `omit`: the provider rejects one. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | "omit";
  /** Anthropic requires an output limit; this is the default. */
  readonly defaultMaxTokens?: number;
  /** The highest output limit that the provider accepts. */
  readonly maxOutputTokens?: number;
  /** Undefined: not sent. */
  readonly temperature?: number | undefined;
  /** The role of the system prompt. `user`: it starts the first user message. */
  readonly systemRole?: "system" | "developer" | "user" | "instructions";
  /** User and assistant messages must alternate: consecutive ones are joined. */
  readonly strictTurns?: boolean;
  /** `false`: images become a note. */
  readonly images?: boolean;
  /** Whole videos are sent, as `video_url` (chat). */
  readonly videos?: boolean;
  /** Tool results may contain images; otherwise a user message contains them. */
  readonly imagesInToolResults?: boolean;
  /** `false`: the content of a tool message is one text. */
  readonly listToolContent?: boolean;
  /** How requests state the effort. `none`: they do not. */
  readonly reasoning?: ReasoningStyle;
  /** Efforts that the provider supports; others map to the nearest. */
  readonly efforts?: readonly string[];
  /** `false`: reasoning of earlier answers is not sent back. */
  readonly replayReasoning?: boolean;
  /** The provider rejects answers with calls without `reasoning_content` (DeepSeek, Moonshot): answers of other models get an empty one. */
  readonly needsReasoningContent?: boolean;
  /** Supports `cache_control` marks. Default for Anthropic: true. */
  readonly cacheControl?: boolean;
  readonly cacheTtl?: boolean;
  /** `false`: requests allow one call at a time. */
  readonly parallelToolCalls?: boolean;
  /** `false`: the provider rejects `stream_options`. */
  readonly streamUsage?: boolean;
  /** `false`: no streaming. */
  readonly streaming?: boolean;
  /** Call ids in Mistral's format: nine letters and digits. */
  readonly shortCallIds?: boolean;
  /** The body field and the header that contain the id of the conversation for routing. */
  readonly conversationField?: string;
  readonly conversationHeader?: string;
  /** Body fields that request faster processing. Absent: the provider does not offer it. */
  readonly fast?: JsonObject;
}

/** `aws`: the key is not sent; the request is signed with it. */
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
