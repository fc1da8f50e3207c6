import type { HttpTimeouts } from "../base/http/http-timeouts.ts";
import type { JsonObject } from "../base/json.ts";
import type { SchemaProvider } from "./schema/provider-rules.ts";

export const protocols = ["openai-chat", "openai-responses", "anthropic-messages", "gemini"] as const;
export type Protocol = (typeof protocols)[number];

/** Where one model is asked, with one key. A value: whoever changes it makes another. */
export interface Endpoint {
  readonly providerId: string;
  readonly protocol: Protocol;
  /** Up to what the protocol's own path follows, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Sent to the origin of `baseUrl` and nowhere else. */
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** A program on this machine that is asked in place of a server, in the Agent Client Protocol. */
export interface ProgramEndpoint {
  readonly providerId: string;
  readonly protocol: "acp";
  readonly program: AgentCommand;
  readonly quirks?: Quirks;
  readonly timeouts?: Partial<HttpTimeouts>;
}

/** How the program is started, and what a person is told who does not have it. */
export interface AgentCommand {
  /** A name on PATH, or a path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that name another command, the first that is set counts. */
  readonly commandVars: readonly string[];
  /** Variables of its own, which it gets although they hold keys. */
  readonly passes: readonly string[];
  /** Variables that it gets whatever the user has in them. */
  readonly env: Readonly<Record<string, string>>;
  /** The variable that tells it which model to use, for versions that cannot be told otherwise. */
  readonly modelVar: string;
  /** How pieces of text begin that are words of the program and none of the model. */
  readonly notices: readonly string[];
  /** How a piece of text begins that tells of a failure of its model. */
  readonly failureMark: string;
  readonly install: string;
  readonly signIn: string;
}

/** In what this provider differs from its protocol. Left out: as the protocol says. */
export interface Quirks {
  /** How the key is sent. */
  readonly auth?: AuthStyle;
  /** What requests to AWS are signed for. */
  readonly aws?: { readonly region: string; readonly service: string };
  /** In place of the protocol's path; `{model}` stands for the model (Azure: `/openai/deployments/{model}/chat/completions`). */
  readonly path?: string;
  /** Added to the address, e.g. `api-version`. */
  readonly query?: Readonly<Record<string, string>>;
  /** Merged into the body last. A field of `null` is left out. */
  readonly body?: JsonObject;
  /** Whose rules the parameters of tools follow. */
  readonly schema?: SchemaProvider;
  /** Name of the field that bounds the output (chat). `omit`: the provider refuses one. */
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens" | "omit";
  /** Anthropic wants a bound in each request: this when the request has none. */
  readonly defaultMaxTokens?: number;
  /** No request may ask for a longer answer. */
  readonly maxOutputTokens?: number;
  /** Left out: none is sent. */
  readonly temperature?: number | undefined;
  /** Who speaks the system prompt. `user`: it is the beginning of the first user message. */
  readonly systemRole?: "system" | "developer" | "user" | "instructions";
  /** Users and assistants must take turns: messages of one role are joined. */
  readonly strictTurns?: boolean;
  /** `false`: images become a note. */
  readonly images?: boolean;
  /** Tool results may carry images; otherwise they follow in a user message. */
  readonly imagesInToolResults?: boolean;
  /** `false`: the content of a tool message is one text. */
  readonly listToolContent?: boolean;
  /** How the effort is said. `none`: not at all. */
  readonly reasoning?: ReasoningStyle;
  /** Efforts that the provider knows; others become the nearest. */
  readonly efforts?: readonly string[];
  /** `false`: reasoning of earlier answers is not sent back. */
  readonly replayReasoning?: boolean;
  /** Answers with calls are refused without `reasoning_content` (DeepSeek, Moonshot): others get an empty one. */
  readonly needsReasoningContent?: boolean;
  /** Knows `cache_control` marks. Anthropic: unless it says `false`. */
  readonly cacheControl?: boolean;
  readonly cacheTtl?: boolean;
  /** `false`: one call at a time is asked for. */
  readonly parallelToolCalls?: boolean;
  /** `false`: `stream_options` is refused. */
  readonly streamUsage?: boolean;
  /** `false`: answers come whole. */
  readonly streaming?: boolean;
  /** Ids of calls as Mistral wants them: nine letters and digits. */
  readonly shortCallIds?: boolean;
  /** Field of the body, and header, that carry the id of the conversation for routing. */
  readonly conversationField?: string;
  readonly conversationHeader?: string;
}

/** `aws`: the key is not sent; the request is signed with it. */
export type AuthStyle = "bearer" | "x-api-key" | "api-key" | "x-goog-api-key" | "query" | "none" | "aws";

/**
 * - `effort`: `reasoning_effort: "high"`
 * - `object`: `reasoning: { effort, enabled }` (OpenRouter, Nous)
 * - `thinking`: `thinking: { type: "enabled" | "disabled" }` (Z.AI, Moonshot, DeepSeek)
 * - `enable_thinking`: `enable_thinking: true` (Qwen)
 * - `template`: `chat_template_kwargs: { enable_thinking }` (vLLM, llama.cpp)
 * - `budget`: `thinking.budget_tokens`; `adaptive`: `output_config.effort` (Anthropic; left out: by the model's name)
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
