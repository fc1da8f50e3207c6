import { asId, type CallId } from "../../base/ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ModelAnswer } from "../../contracts/host/middleware.ts";
import type { AssistantMessage, ContentPart, Message, ToolCall } from "../../contracts/model/message.ts";
import { type ModelRequest, noUsage } from "../../contracts/model/model.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";

/**
 * Converts a model request and its answer to the format of the chat protocol, which middleware written for Python
 * Hermes reads and changes. Parts that a middleware leaves unchanged keep data that this format lacks: signatures,
 * cache marks, files.
 */
export function toChatRequest({ model, system, messages, tools, maxTokens, toolChoice }: ModelRequest): JsonObject {
  return {
    model,
    messages: [...system.map(({ text }) => ({ role: "system", content: text })), ...messages.map(chatMessage)],
    tools: tools.map(chatTool),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
  };
}

/** Returns undefined if the changed value is not a request. */
export function fromChatRequest(changed: unknown, before: ModelRequest): ModelRequest | undefined {
  if (!isObject(changed) || !Array.isArray(changed.messages)) return undefined;
  const listed = changed.messages.filter(isObject);
  if (listed.length !== changed.messages.length) return undefined;
  const texts = listed.filter(({ role }) => role === "system").map(({ content }) => textOf(content));
  const sentMessages = new Map(before.messages.map((message) => [JSON.stringify(chatMessage(message)), message]));
  const messages = listed
    .filter(({ role }) => role !== "system")
    .map((message) => sentMessages.get(JSON.stringify(message)) ?? readMessage(message));
  if (messages.includes(undefined)) return undefined;
  const isSameSystem = JSON.stringify(texts) === JSON.stringify(before.system.map(({ text }) => text));
  const { cacheMarks, ...rest } = before;
  const { max_tokens: maxTokens } = changed;
  const kept = messages as Message[];
  const isSamePrefix = before.messages.every((message, index) => kept[index] === message);
  return {
    ...rest,
    ...(cacheMarks && isSamePrefix && { cacheMarks }),
    system: isSameSystem ? before.system : texts.map((text) => ({ text })),
    messages: kept,
    tools: Array.isArray(changed.tools) ? readTools(changed.tools, before.tools) : before.tools,
    ...(typeof maxTokens === "number" && maxTokens > 0 && { maxTokens }),
  };
}

export function toChatAnswer({ message, usage }: ModelAnswer, model: string): JsonObject {
  return {
    model,
    choices: [{ index: 0, message: chatMessage(message), finish_reason: finishReasons[message.stop] }],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, total_tokens: usage.input + usage.output },
  };
}

/** Returns undefined if the value is not an answer. `before` is the model's answer, if the model was called. */
export function fromChatAnswer(answer: unknown, before: ModelAnswer | undefined): ModelAnswer | undefined {
  const usage = before?.usage ?? noUsage;
  if (typeof answer === "string") return { message: readAssistant({ content: answer }), usage };
  if (!isObject(answer)) return undefined;
  const [choice] = Array.isArray(answer.choices) ? answer.choices : [answer];
  const message = isObject(choice) && isObject(choice.message) ? choice.message : choice;
  if (!isObject(message)) return undefined;
  if (before && JSON.stringify(message) === JSON.stringify(chatMessage(before.message))) return before;
  if (message.content === undefined && message.tool_calls === undefined) return undefined;
  return { message: readAssistant(message), usage };
}

const finishReasons = { end: "stop", calls: "tool_calls", length: "length", refused: "content_filter" } as const;

function chatMessage(message: Message): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", content: chatContent(message.content) };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, name: message.name, content: chatContent(message.content) };
    case "assistant":
      return {
        role: "assistant",
        content: chatContent(message.content),
        ...(message.calls.length > 0 && { tool_calls: message.calls.map(chatCall) }),
      };
  }
}

function chatContent(content: readonly ContentPart[]): JsonValue {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  if (texts.length === content.length && content.length <= 1) return texts[0] ?? "";
  return content.map((part): JsonObject => {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "image":
        return { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } };
      case "audio":
        return { type: "input_audio", input_audio: { data: part.data, format: part.mimeType } };
      case "video":
        return { type: "video_url", video_url: { url: `data:${part.mimeType};base64,${part.data}` } };
      case "file":
        return { type: "file", file: { path: part.path } };
    }
  });
}

function chatCall({ id, name, args }: ToolCall): JsonObject {
  return {
    id,
    type: "function",
    function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
  };
}

function chatTool({ name, description, inputSchema }: ToolDefinition): JsonObject {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

/** A middleware can remove a tool or change its description, but cannot add one. */
function readTools(changed: readonly unknown[], before: readonly ToolDefinition[]): readonly ToolDefinition[] {
  const given = new Map(
    changed.flatMap((tool) => (isObject(tool) && isObject(tool.function) ? [[tool.function.name, tool.function]] : [])),
  );
  return before.flatMap((tool) => {
    const described = given.get(tool.name);
    if (!described) return [];
    const { description } = described;
    return [typeof description === "string" && description !== tool.description ? { ...tool, description } : tool];
  });
}

function readMessage(message: Record<string, unknown>): Message | undefined {
  const content = readContent(message.content);
  if (message.role === "user") return { role: "user", content };
  if (message.role === "assistant") return readAssistant(message);
  const { tool_call_id: id, name } = message;
  if (message.role !== "tool" || typeof id !== "string") return undefined;
  return {
    role: "tool",
    callId: asId<CallId>(id),
    name: typeof name === "string" ? name : "",
    failed: false,
    content,
  };
}

function readAssistant({ content, tool_calls: listed }: Record<string, unknown>): AssistantMessage {
  const calls = Array.isArray(listed) ? listed.flatMap(readCall) : [];
  return { role: "assistant", content: readContent(content), calls, stop: calls.length > 0 ? "calls" : "end" };
}

function readCall(call: unknown): readonly ToolCall[] {
  if (!isObject(call) || !isObject(call.function) || typeof call.function.name !== "string") return [];
  const { name, arguments: args } = call.function;
  // The arguments are not validated here, because the dispatcher validates them before the call runs.
  return [
    {
      id: asId<CallId>(typeof call.id === "string" ? call.id : ""),
      name,
      args: typeof args === "string" ? args : (args as JsonObject),
    },
  ];
}

function readContent(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) return textOf(content) === "" ? [] : [{ type: "text", text: textOf(content) }];
  return content.flatMap((part): ContentPart[] => {
    if (!isObject(part)) return [];
    const url = isObject(part.image_url) ? part.image_url.url : undefined;
    const image = typeof url === "string" ? /^data:([^;]+);base64,(.*)$/su.exec(url) : null;
    if (image) return [{ type: "image", mimeType: image[1] ?? "", data: image[2] ?? "" }];
    return typeof part.text === "string" ? [{ type: "text", text: part.text }] : [];
  });
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (isObject(part) && typeof part.text === "string" ? part.text : "")).join("\n");
}
