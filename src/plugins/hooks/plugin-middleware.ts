import { isObject, type JsonObject } from "../../base/json.ts";
import type { Middleware, MiddlewareCall, MiddlewareRequest, ModelAnswer } from "../../contracts/host/middleware.ts";
import { shownContent } from "../../contracts/model/message.ts";
import { noUsage } from "../../contracts/model/model.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { PluginLanguage } from "../../contracts/plugin/manifest.ts";
import type { MiddlewareKind, PluginRegistration } from "../../contracts/plugin/registration.ts";
import { fail, text, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { toChatAnswer, toChatRequest, fromChatAnswer, fromChatRequest } from "./chat-form.ts";
import type { NextCalls } from "./next-calls.ts";

/**
 * The middleware of one plugin: typed for TypeScript, in the Python Hermes format for Python. Middleware sees
 * unmasked values, because it passes them on. If the plugin's process fails, the call rejects and the kernel handles
 * it.
 */
export function pluginMiddleware(
  { middleware }: Pick<PluginRegistration, "middleware">,
  client: PluginClient,
  nextCalls: NextCalls,
  language: PluginLanguage,
): readonly Middleware[] {
  async function run(id: string, kind: MiddlewareKind, payload: JsonObject, token: string, signal: AbortSignal) {
    const answered = await client.request("middleware.run", { id, kind, payload, token }, { signal });
    if (!answered.ok) throw new Error(answered.error.message);
    return answered.value ?? undefined;
  }

  /** The kernel validates requests and results, because the plugin may return anything. */
  function typed(id: string, kind: MiddlewareKind): Middleware {
    const request = (call: object, signal: AbortSignal) => run(id, kind, plain(call), "", signal) as Promise<never>;
    async function execute(call: object, next: (changed: never) => Promise<object>, signal: AbortSignal) {
      let result: object | undefined;
      using open = nextCalls.open(async (changed) => {
        result = await next((changed?.["args"] ?? changed?.["request"]) as never);
        return plain(result);
      });
      const answer = await run(id, kind, plain(call), open.token, signal);
      return (result && isSame(answer, result) ? result : answer) as never;
    }
    switch (kind) {
      case "tool_request":
        return { toolRequest: request };
      case "tool_execution":
        return { toolExecution: execute };
      case "llm_request":
        return { modelRequest: request };
      case "llm_execution":
        return { modelExecution: execute };
    }
  }

  return middleware.map(({ id, kind }): Middleware => {
    if (language === "typescript") return typed(id, kind);
    switch (kind) {
      case "tool_request":
        return {
          async toolRequest(call, signal) {
            // The cast is safe: the kernel validates the arguments.
            return (await run(id, kind, callPayload(call), "", signal)) as { readonly args: JsonObject } | undefined;
          },
        };
      case "tool_execution":
        return {
          async toolExecution(call, next, signal) {
            let result: ToolResult | undefined;
            using open = nextCalls.open(async (args) => resultText((result = await next(args))));
            return readToolAnswer(await run(id, kind, callPayload(call), open.token, signal), result);
          },
        };
      case "llm_request":
        return {
          async modelRequest(call, signal) {
            const answer = await run(id, kind, requestPayload(call), "", signal);
            if (answer === undefined) return undefined;
            const request = isObject(answer) ? fromChatRequest(answer.request, call.request) : undefined;
            if (!request || !isObject(answer)) throw new TypeError("the middleware returned a malformed answer");
            return { ...answer, request };
          },
        };
      case "llm_execution":
        return {
          async modelExecution(call, next, signal) {
            let answer: ModelAnswer | undefined;
            using open = nextCalls.open(async (changed) => {
              answer = await next(changed && fromChatRequest(changed, call.request));
              return toChatAnswer(answer, call.request.model);
            });
            return readModelAnswer(await run(id, kind, requestPayload(call), open.token, signal), answer, client.key);
          },
        };
    }
  });
}

/** Removes fields that are undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function isSame(one: unknown, other: object): boolean {
  return JSON.stringify(one) === JSON.stringify(plain(other));
}

function callPayload({ sessionId, turnId, requestId, callId, tool, args, originalArgs }: MiddlewareCall): JsonObject {
  return {
    tool_name: tool,
    args,
    original_args: originalArgs,
    session_id: sessionId,
    task_id: sessionId,
    turn_id: turnId ?? "",
    tool_call_id: callId,
    api_request_id: requestId ?? "",
  };
}

function requestPayload(call: MiddlewareRequest): JsonObject {
  const { sessionId, turnId, requestId, request, originalRequest, provider, callCount } = call;
  const chat = toChatRequest(request);
  return {
    request: chat,
    original_request: originalRequest === request ? chat : toChatRequest(originalRequest),
    session_id: sessionId,
    task_id: sessionId,
    turn_id: turnId ?? "",
    api_request_id: requestId ?? "",
    provider,
    model: request.model,
    api_call_count: callCount,
  };
}

function resultText(result: ToolResult): string {
  return result.ok ? shownContent(result.value.content) : JSON.stringify({ error: result.error.message });
}

/** Reads the answer of a tool middleware. `result` is the result of the wrapped call, if it ran. */
function readToolAnswer(answer: unknown, result: ToolResult | undefined): ToolResult {
  if (isBlock(answer)) return fail(answer.message, "blocked");
  if (answer === undefined) throw new TypeError("the middleware returned nothing");
  const words = typeof answer === "string" ? answer : JSON.stringify(answer);
  return result && words === resultText(result) ? result : text(words);
}

function readModelAnswer(answer: unknown, before: ModelAnswer | undefined, plugin: string): ModelAnswer {
  if (isBlock(answer)) {
    const content = [{ type: "text", text: `Blocked by the plugin ${plugin}: ${answer.message}` } as const];
    return { message: { role: "assistant", content, calls: [], stop: "end" }, usage: before?.usage ?? noUsage };
  }
  const read = fromChatAnswer(answer, before);
  if (!read) throw new TypeError("the middleware returned a malformed answer");
  return read;
}

/** Whether the middleware blocked the call on purpose, as opposed to failing. */
function isBlock(answer: unknown): answer is { readonly message: string } {
  return isObject(answer) && answer.action === "block" && typeof answer.message === "string";
}
