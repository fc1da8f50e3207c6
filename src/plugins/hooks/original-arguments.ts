import type { JsonObject } from "../../base/json.ts";
import type { Intercepted, Observed } from "../../contracts/host/hook-events.ts";
import type { ShownValues } from "./shown-values.ts";

export type Events = Observed & { readonly [K in keyof Intercepted]: Intercepted[K]["event"] };

/** `task_id` is the session id, because a session has one task here. */
export function idArgs({ sessionId, turnId }: { readonly sessionId: string; readonly turnId?: string }): JsonObject {
  return { session_id: sessionId, task_id: sessionId, turn_id: turnId ?? "" };
}

export function callArgs(event: Events["beforeToolCall"] | Events["afterToolCall"], shown: ShownValues): JsonObject {
  return {
    ...callIdArgs(event),
    args: shown.json(event.args),
    middleware_trace: shown.json(event.trace),
  };
}

export function callIdArgs(
  event: Pick<Events["afterToolCall"], "call" | "sessionId" | "requestId" | "parentCallId">,
): JsonObject {
  const { call, requestId, parentCallId } = event;
  return {
    tool_name: call.name,
    ...idArgs(event),
    tool_call_id: call.id,
    api_request_id: requestId ?? "",
    ...(parentCallId !== undefined && { parent_tool_call_id: parentCallId }),
  };
}

export function outcomeArgs(
  { result, status, durationMs }: Pick<Events["afterToolCall"], "result" | "status" | "durationMs">,
  shown: ShownValues,
): JsonObject {
  return {
    result: shown.result(result),
    duration_ms: Math.round(durationMs),
    status,
    error_type: result.ok ? null : result.error.kind,
    error_message: result.ok ? null : shown.text(result.error.message),
  };
}

export function modelCallArgs(event: Events["beforeModelCall" | "afterModelCall" | "modelCallFailed"]): JsonObject {
  const { requestId, provider, model, baseUrl, protocol, callCount, attempt, request, platform } = event;
  return {
    ...idArgs(event),
    api_request_id: requestId,
    platform: platform ?? "",
    provider,
    model,
    base_url: baseUrl ?? "",
    api_mode: apiModes[protocol ?? ""] ?? protocol ?? "",
    api_call_count: callCount,
    retry_count: attempt - 1,
    message_count: request.messages.length,
    tool_count: request.tools.length,
    max_tokens: request.maxTokens ?? null,
  };
}

/** The names that Python Hermes uses for model protocols. */
const apiModes: Readonly<Record<string, string>> = {
  "openai-chat": "chat_completions",
  "openai-responses": "codex_responses",
  "anthropic-messages": "anthropic_messages",
  gemini: "gemini",
  acp: "copilot_acp",
};

export function usageArgs({
  input,
  output,
  cacheRead,
  cacheWrite,
  reasoning,
}: Events["afterModelCall"]["usage"]): JsonObject {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
    prompt_tokens: input,
    completion_tokens: output,
  };
}

export function approvalArgs(event: Events["approvalRequested"], shown: ShownValues): JsonObject {
  const { text, asks, shownIn, surfaces, callId, tool, platform } = event;
  const rules = asks.map(({ rule }) => rule);
  return {
    ...idArgs(event),
    command: shown.text(text),
    description: shown.text(asks.map(({ reason }) => reason).join("; ")),
    pattern_key: rules[0] ?? "",
    pattern_keys: rules,
    session_key: shownIn,
    surface: platform ?? surfaces.join(", "),
    tool_name: tool,
    tool_call_id: callId,
  };
}

export function approvalChoice({ answer, how }: Events["approvalAnswered"]): string {
  return how === "answered" || how === "aborted" ? answer.scope : how === "timeout" ? "timeout" : "deny";
}

export const finishReasons = { end: "stop", calls: "tool_calls", length: "length", refused: "content_filter" } as const;
