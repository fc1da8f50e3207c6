import { isObject, type JsonObject, ownValue } from "../../base/json.ts";
import { hookAliases, type HookName, type OriginalHookName } from "../../contracts/host/hook.ts";
import { shownContent } from "../../contracts/model/message.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import type { ToolFailure, ToolResult } from "../../contracts/tool/tool-result.ts";
import { readClassification } from "./error-reasons.ts";
import {
  approvalArgs,
  approvalChoice,
  callArgs,
  callIdArgs,
  type Events,
  finishReasons,
  idArgs,
  modelCallArgs,
  outcomeArgs,
  usageArgs,
} from "./original-arguments.ts";
import { maxRequestChars, maxTurnChars, type ShownValues } from "./shown-values.ts";

/**
 * A hook with the name and format of Python Hermes: converts our event to its keyword arguments, and its answer to
 * our reply.
 */
export interface OriginalHook {
  readonly hook: HookName;
  /** Whether the hook fires for this event. */
  isFor(event: never): boolean;
  args(event: never, shown: ShownValues): JsonObject;
  /** Converts the hook's answer to our reply; undefined if the answer has no effect. Throws for an invalid answer. */
  reply(answer: unknown, event: never): unknown;
}

interface Definition<K extends HookName> {
  readonly isFor?: (event: Events[K]) => boolean;
  readonly args: (event: Events[K], shown: ShownValues) => JsonObject;
  readonly reply?: (answer: unknown, event: Events[K]) => unknown;
}

/** The hook with this Python Hermes name or alias. */
export function originalHook(name: string): OriginalHook | undefined {
  const original = ownValue<string>(hookAliases, name) ?? name;
  return ownValue<OriginalHook>(originalHooks, original);
}

function define<K extends HookName>(hook: K, { isFor, args, reply }: Definition<K>): OriginalHook {
  return {
    hook,
    isFor: isFor ?? (() => true),
    args: (event: Events[K], shown) => ({ ...args(event, shown), telemetry_schema_version: "hermes.observer.v1" }),
    reply: reply ?? ((answer) => answer),
  };
}

const originalHooks: Readonly<Record<OriginalHookName, OriginalHook>> = {
  pre_tool_call: define("beforeToolCall", { args: callArgs }),
  post_tool_call: define("afterToolCall", {
    args: (event, shown) => ({ ...callArgs(event, shown), ...outcomeArgs(event, shown) }),
  }),
  transform_tool_result: define("transformToolResult", {
    args: (event, shown) => ({ ...callIdArgs(event), args: shown.json(event.args), ...outcomeArgs(event, shown) }),
    reply: (answer, { result }) => (typeof answer === "string" ? replaced(result, answer) : ignored(answer)),
  }),
  transform_terminal_output: define("transformTerminalOutput", {
    args: (event, shown) => ({
      ...idArgs(event),
      command: shown.text(event.command),
      output: shown.text(event.output),
      returncode: event.exitCode ?? null,
      env_type: event.backend,
    }),
    reply: textOrNothing,
  }),
  pre_llm_call: define("beforeTurn", {
    args(event, shown) {
      const messages = shown.messages(event.history, maxTurnChars);
      return {
        ...idArgs(event),
        user_message: shown.text(textOf(event.prompt)),
        conversation_history: messages,
        messages,
        is_first_turn: event.isFirstTurn,
        model: event.model,
        platform: event.platform ?? "",
        parent_session_id: event.parentSessionId ?? "",
        sender_id: event.senderId ?? "",
      };
    },
    reply(answer) {
      if (typeof answer === "string") return answer.trim() === "" ? undefined : { context: answer };
      return isObject(answer) && answer.context === undefined ? ignored(answer) : answer;
    },
  }),
  post_llm_call: define("turnEnd", {
    isFor: ({ outcome }) => outcome === "answered",
    args(event, shown) {
      const messages = shown.messages(event.messages, maxTurnChars);
      return {
        ...idArgs(event),
        user_message: shown.text(textOf(event.prompt)),
        assistant_response: shown.text(event.text),
        conversation_history: messages,
        messages,
        model: event.model,
        platform: event.platform ?? "",
      };
    },
  }),
  transform_llm_output: define("transformAnswer", {
    args: (event, shown) => ({
      ...idArgs(event),
      response_text: shown.text(event.text),
      model: event.model,
      platform: event.platform ?? "",
    }),
    reply: textOrNothing,
  }),
  pre_verify: define("beforeVerify", {
    args: (event, shown) => ({
      ...idArgs(event),
      platform: event.platform ?? "",
      model: event.model,
      coding: event.isCoding,
      attempt: event.attempt,
      final_response: shown.text(event.answer),
      changed_paths: shown.json(event.changedPaths),
    }),
    reply(answer) {
      if (!isObject(answer)) return ignored(answer);
      const isContinued = answer.action === "continue" || answer.decision === "block";
      const text = answer.message ?? answer.reason;
      return isContinued && typeof text === "string" && text.trim() !== "" ? { continueWith: text } : ignored(answer);
    },
  }),
  pre_api_request: define("beforeModelCall", {
    args: (event, shown) => ({
      ...modelCallArgs(event),
      approx_input_tokens: event.tokens,
      request_char_count: event.tokens * 4,
      started_at: event.startedAt / 1000,
      middleware_trace: shown.json(event.trace),
      request: {
        method: "POST",
        body: {
          model: event.model,
          messages: shown.messages(event.request.messages, maxRequestChars),
          tools: event.request.tools.map(({ name }) => name),
        },
      },
    }),
  }),
  post_api_request: define("afterModelCall", {
    args(event, shown) {
      const { response, usage, durationMs, startedAt, endedAt, firstChunkAt } = event;
      const [assistant_message] = shown.messages([response], maxRequestChars);
      const finish = finishReasons[response.stop];
      return {
        ...modelCallArgs(event),
        api_duration: durationMs / 1000,
        started_at: startedAt / 1000,
        ended_at: endedAt / 1000,
        first_chunk_at: firstChunkAt === undefined ? null : firstChunkAt / 1000,
        finish_reason: finish,
        response_model: event.model,
        usage: usageArgs(usage),
        assistant_content_chars: shownContent(response.content).length,
        assistant_tool_call_count: response.calls.length,
        response: { assistant_message: assistant_message ?? null, finish_reason: finish, usage: usageArgs(usage) },
      };
    },
  }),
  api_request_error: define("modelCallFailed", {
    args: (event, shown) => ({
      ...modelCallArgs(event),
      api_duration: event.durationMs / 1000,
      started_at: event.startedAt / 1000,
      max_retries: event.maxRetries ?? null,
      retryable: event.next !== "give_up",
      next_action: event.next,
      retry_after: event.waitMs === undefined ? null : event.waitMs / 1000,
      status_code: event.error.status ?? null,
      reason: event.error.kind,
      error: { type: event.error.kind, message: shown.text(event.error.message) },
    }),
  }),
  transform_api_error_classification: define("classifyModelError", {
    args: (event, shown) => ({
      ...idArgs(event),
      api_request_id: event.requestId,
      provider: event.provider,
      model: event.model,
      status_code: event.status ?? null,
      error_type: event.error.kind,
      error_code: null,
      error_message: shown.text(event.error.message),
      error_body: shown.text(event.body),
      reason: event.error.kind,
    }),
    reply: (answer, { error }) => readClassification(answer, error),
  }),
  on_stream_start: define("streamStart", {
    args: (event) => ({
      ...idArgs(event),
      api_request_id: event.requestId,
      model: event.model,
      platform: event.platform ?? "",
    }),
  }),
  on_stream_delta: define("streamDelta", {
    args(event, shown) {
      const delta = shown.text(event.delta);
      return { ...idArgs(event), api_request_id: event.requestId, delta, text: delta, platform: event.platform ?? "" };
    },
  }),
  on_stream_end: define("streamEnd", {
    args: (event, shown) => ({
      ...idArgs(event),
      api_request_id: event.requestId,
      model: event.model,
      text: shown.text(event.text),
      platform: event.platform ?? "",
    }),
  }),
  on_interim_message: define("interimMessage", {
    args(event, shown) {
      const text = shown.text(event.text);
      return {
        ...idArgs(event),
        api_request_id: event.requestId ?? "",
        text,
        message: text,
        platform: event.platform ?? "",
      };
    },
  }),
  on_session_start: define("turnStart", {
    isFor: ({ isFirstTurn }) => isFirstTurn,
    args: (event) => ({ ...idArgs(event), model: event.model, platform: event.platform ?? "" }),
  }),
  on_session_end: define("turnEnd", {
    args: (event) => ({
      ...idArgs(event),
      completed: event.outcome === "answered",
      failed: event.outcome === "failed",
      interrupted: event.outcome === "aborted",
      turn_exit_reason: event.outcome,
      model: event.model,
      platform: event.platform ?? "",
    }),
  }),
  on_session_finalize: define("sessionEnd", {
    args: (event) => ({ ...idArgs(event), platform: event.platform ?? "", reason: event.reason }),
  }),
  on_session_reset: define("sessionReset", {
    args: (event) => ({ ...idArgs(event), platform: event.platform ?? event.source }),
  }),
  subagent_start: define("subagentStart", {
    args: (event, shown) => ({
      parent_session_id: event.parentId,
      parent_turn_id: event.turnId ?? "",
      parent_subagent_id: event.parentAgentId ?? "",
      child_session_id: event.sessionId,
      child_subagent_id: event.agentId,
      child_role: event.role,
      child_goal: shown.text(event.goal),
    }),
  }),
  subagent_stop: define("subagentStop", {
    args: (event, shown) => ({
      parent_session_id: event.parentId,
      parent_turn_id: event.turnId ?? "",
      child_session_id: event.sessionId,
      child_role: event.role,
      child_summary: shown.text(event.summary),
      child_status: event.status,
      tool_call_history: event.calls.map(({ tool, status }) => ({ tool_name: tool, status })),
      duration_ms: Math.round(event.durationMs),
    }),
  }),
  pre_approval_request: define("approvalRequested", { args: approvalArgs }),
  post_approval_response: define("approvalAnswered", {
    args: (event, shown) => ({ ...approvalArgs(event, shown), choice: approvalChoice(event) }),
  }),
  pre_gateway_dispatch: define("beforeInbound", {
    args: ({ message, ...event }, shown) => ({
      ...idArgs(event),
      event: {
        text: shown.text(textOf(message.content)),
        platform: message.chat.platform,
        chat_id: message.chat.chatId,
        thread_id: message.chat.threadId ?? null,
        user_id: message.from.id,
        message_id: message.messageId,
      },
      gateway: null,
      session_store: null,
    }),
    reply(answer) {
      if (!isObject(answer) || answer.action === "allow") return ignored(answer);
      if (answer.action === "skip") return { skip: true };
      return answer.action === "rewrite" ? { rewrite: answer.text } : answer;
    },
  }),
  on_skill_lifecycle: define("skillChanged", {
    args: ({ skill, action, by, uses, ...event }) => ({
      ...idArgs(event),
      action: skillActions[action] ?? action,
      skill_name: skill,
      provenance: by === "user" ? "local" : "agent_created",
      use_count: uses ?? null,
      reused: uses === undefined ? null : uses > 1,
      reuse_after_patch: null,
    }),
  }),
  pre_context_compression: define("beforeCompression", {
    args: (event, shown) => ({
      ...idArgs(event),
      messages: shown.messages(event.messages, maxTurnChars),
      tokens_before: event.tokens,
      platform: event.platform ?? "",
    }),
  }),
  on_compression_complete: define("afterCompression", {
    args: (event) => ({
      ...idArgs(event),
      old_session_id: event.sessionId,
      in_place: true,
      tokens_before: event.tokensBefore,
      tokens_after: event.tokensAfter,
      platform: event.platform ?? "",
    }),
  }),
};

const skillActions: Readonly<Record<string, string>> = {
  viewed: "loaded",
  used: "loaded",
  create: "created",
  edit: "edited",
  delete: "deleted",
};

/** Replaces the whole result by the text, as Python Hermes does. */
function replaced(result: ToolResult, text: string): ToolResult {
  const content = [{ type: "text", text } as const];
  if (result.ok) return { ok: true, value: { content } };
  const error: ToolFailure = { ...result.error, message: text };
  return { ok: false, error };
}

function textOrNothing(answer: unknown): unknown {
  return typeof answer === "string" && answer !== "" ? answer : ignored(answer);
}

/**
 * Python Hermes ignores answers of another shape. Here, an answer that was probably meant to have an effect is an
 * error.
 */
function ignored(answer: unknown): undefined {
  const isHarmless = answer === undefined || answer === null || answer === "" || answer === false || answer === true;
  const isAllow = isObject(answer) && (Object.keys(answer).length === 0 || answer.action === "allow");
  if (isHarmless || isAllow) return undefined;
  throw new TypeError("the hook returned a malformed answer");
}
