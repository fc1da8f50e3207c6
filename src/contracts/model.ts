import type { AssistantMessage, Message } from "./message.ts";
import type { ToolDefinition } from "./tool.ts";

export interface ModelRequest {
  readonly model: string;
  readonly system: readonly { readonly text: string; readonly cache?: boolean }[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly maxTokens?: number;
  readonly reasoning?: "off" | "minimal" | "low" | "medium" | "high" | "xhigh";
}

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  readonly costUsd?: number;
}

export interface ModelError {
  readonly kind:
    | "rate_limited"
    | "overloaded"
    | "server"
    | "auth"
    | "billing"
    | "not_found"
    | "content_policy"
    | "context_overflow"
    | "schema_rejected"
    | "image_too_large"
    | "invalid_request"
    | "stalled"
    | "network"
    | "aborted";
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type ModelEvent =
  | { readonly type: "text"; readonly delta: string }
  | { readonly type: "reasoning"; readonly delta: string }
  | { readonly type: "call"; readonly index: number; readonly name?: string; readonly delta: string }
  | { readonly type: "finish"; readonly message: AssistantMessage; readonly usage: Usage }
  | { readonly type: "error"; readonly error: ModelError };

export interface ModelProvider {
  readonly id: string;
  /** Never throws. The last event is always `finish` or `error`. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
