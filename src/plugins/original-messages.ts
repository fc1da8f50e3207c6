import { asId, type CallId } from "../base/ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { type ContentPart, type Message, shownContent, type ToolCall } from "../contracts/model/message.ts";

/** Converts messages to the Chat Completions format, which plugins for Python Hermes expect. */
export function originalMessages(messages: readonly Message[]): readonly JsonObject[] {
  return messages.map((message): JsonObject => {
    switch (message.role) {
      case "user":
        return { role: "user", content: shownContent(message.content) };
      case "assistant":
        return {
          role: "assistant",
          content: shownContent(message.content),
          ...(message.reasoning !== undefined && { reasoning: message.reasoning }),
          ...(message.calls.length > 0 && { tool_calls: message.calls.map(originalCall) }),
        };
      case "tool":
        return {
          role: "tool",
          tool_call_id: message.callId,
          name: message.name,
          content: shownContent(message.content),
        };
    }
  });
}

function originalCall({ id, name, args }: ToolCall): JsonObject {
  return {
    id,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  };
}

/**
 * Reads messages in the Chat Completions format. Returns undefined if one of them is malformed, or if a tool result
 * has no call before it.
 */
export function readOriginalMessages(value: unknown): readonly Message[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const toolNames = new Map<string, string>();
  const messages: Message[] = [];
  for (const each of value as readonly unknown[]) {
    const message = readOriginal(each, toolNames);
    if (!message) return undefined;
    messages.push(message);
  }
  return messages;
}

/** Converts a plugin's message, in our format or that of Python Hermes, to the format of Python Hermes. */
export function inOriginalForm(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { calls, callId } = message;
  return {
    ...message,
    ...(callId !== undefined && { tool_call_id: callId }),
    ...(Array.isArray(calls) && {
      tool_calls: calls.map((call: unknown) =>
        isObject(call) ? { id: call["id"], function: { name: call["name"], arguments: call["args"] } } : call,
      ),
    }),
  };
}

function readOriginal(value: unknown, toolNames: Map<string, string>): Message | undefined {
  if (!isObject(value)) return undefined;
  const content = readContent(value["content"]);
  if (!content) return undefined;
  switch (value["role"]) {
    // A summary is often a system message, so system messages are kept; the system prompt itself is not part of the
    // history.
    case "system":
    case "user":
      return { role: "user", content };
    case "assistant": {
      const calls = readCalls(value["tool_calls"]);
      for (const { id, name } of calls) toolNames.set(id, name);
      return { role: "assistant", content, calls, stop: calls.length > 0 ? "calls" : "end" };
    }
    case "tool": {
      const { tool_call_id: id } = value;
      const name = typeof id === "string" ? toolNames.get(id) : undefined;
      if (typeof id !== "string" || name === undefined) return undefined;
      return { role: "tool", callId: asId<CallId>(id), name, failed: false, content };
    }
    default:
      return undefined;
  }
}

function readContent(content: unknown): readonly ContentPart[] | undefined {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (!Array.isArray(content)) return undefined;
  return content.flatMap((part: unknown) =>
    isObject(part) && typeof part["text"] === "string" ? [{ type: "text", text: part["text"] } as const] : [],
  );
}

function readCalls(calls: unknown): readonly ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) => {
    const request = isObject(call) && isObject(call["function"]) ? call["function"] : {};
    const id = isObject(call) ? call["id"] : undefined;
    const { name, arguments: args } = request as Record<string, JsonValue | undefined>;
    if (typeof id !== "string" || typeof name !== "string") return [];
    return [{ id: asId<CallId>(id), name, args: typeof args === "string" ? args : JSON.stringify(args ?? {}) }];
  });
}
