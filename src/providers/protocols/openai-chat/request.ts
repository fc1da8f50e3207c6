import type { JsonObject, JsonValue } from "../../../base/json.ts";
import type { AssistantMessage, ContentPart, ToolMessage, UserMessage } from "../../../contracts/model/message.ts";
import type { ModelRequest } from "../../../contracts/model/model.ts";
import type { Quirks } from "../../endpoint.ts";
import type { RequestContext } from "../adapter.ts";
import {
  emptyResult,
  noAudioNote,
  pairedMessages,
  sendableText,
  wellFormed,
  type PlacedMessage,
  sentPart,
} from "../conversation.ts";
import { chatReasoning, supportsReasoning } from "../reasoning.ts";
import { argumentsText, wireCallId, wireName, type ListedTool } from "../wire-tools.ts";

export function chatBody(request: ModelRequest, context: RequestContext): JsonObject {
  const { quirks = {} } = context.endpoint;
  const { model, maxTokens, toolChoice, conversation } = request;
  const streamed = quirks.streaming !== false;
  const field = quirks.maxTokensField ?? "max_tokens";
  const hasTools = context.tools.list.length > 0;
  return {
    model,
    stream: streamed,
    ...(streamed && quirks.streamUsage !== false ? { stream_options: { include_usage: true } } : {}),
    ...(hasTools ? { tools: context.tools.list.map(toolJson) } : {}),
    messages: messagesJson(request, context, quirks),
    ...(hasTools && toolChoice === "none" ? { tool_choice: "none" } : {}),
    ...(hasTools && quirks.parallelToolCalls !== undefined ? { parallel_tool_calls: quirks.parallelToolCalls } : {}),
    ...(maxTokens !== undefined && field !== "omit" ? { [field]: maxTokens } : {}),
    ...(quirks.temperature === undefined ? {} : { temperature: quirks.temperature }),
    ...(supportsReasoning(model) ? chatReasoning(request.reasoning, quirks.reasoning ?? "effort", quirks.efforts) : {}),
    ...(request.isFast ? quirks.fast : {}),
    ...(conversation !== undefined && quirks.conversationField ? { [quirks.conversationField]: conversation } : {}),
  };
}

function toolJson({ name, description, schema }: ListedTool): JsonObject {
  return { type: "function", function: { name, description, parameters: schema } };
}

interface ChatMessage {
  readonly role: string;
  readonly content: string | readonly JsonObject[] | null;
  readonly [field: string]: JsonValue;
}

function messagesJson(request: ModelRequest, context: RequestContext, quirks: Quirks): readonly JsonObject[] {
  const marks = new Set(quirks.cacheControl ? request.cacheMarks : []);
  const mark = cacheMark(request, quirks);
  const written: ChatMessage[] = [];
  const write = (message: ChatMessage, index?: number): void => {
    const fits = message.role !== "tool" || quirks.listToolContent !== false;
    written.push(index !== undefined && marks.has(index) && fits ? marked(message, mark) : message);
  };
  let images: JsonObject[] = [];
  const showImages = (): void => {
    if (images.length > 0) written.push({ role: "user", content: images });
    images = [];
  };
  for (const { message, index } of pairedMessages(request.messages)) {
    if (message.role === "tool") {
      write(
        context.memo(message, (one) => toolMessage(one, quirks)),
        index,
      );
      if (seenParts(message.content, quirks).length > 0 && !quirks.imagesInToolResults)
        images.push(...resultImages({ message }, quirks));
      continue;
    }
    showImages();
    if (message.role === "user")
      write(
        context.memo(message, (one) => userMessage(one, quirks)),
        index,
      );
    else
      write(
        context.memo(message, (one) => assistantMessage(one, context)),
        index,
      );
  }
  showImages();
  return withSystem(quirks.strictTurns ? alternating(written) : written, request, quirks);
}

// ── one message ─────────────────────────────────────────────────────────────────────────────────────────────────────

function userMessage({ content }: UserMessage, quirks: Quirks): ChatMessage {
  const plain = content.every(({ type }) => type === "text" || type === "file");
  return { role: "user", content: plain ? sendableText(content) : content.map((part) => partJson(part, quirks)) };
}

/** Converts images, and videos if the provider accepts them. */
function seenParts(content: readonly ContentPart[], { videos }: Quirks): readonly ContentPart[] {
  return content.filter(({ type }) => type === "image" || (videos && type === "video"));
}

function partJson(part: ContentPart, { images, videos }: Quirks): JsonObject {
  if (videos && part.type === "video")
    return { type: "video_url", video_url: { url: `data:${part.mimeType};base64,${part.data}` } };
  const sent = sentPart(part, images);
  if (sent.type === "text") return { type: "text", text: sent.text };
  const { type, mimeType, data } = sent;
  if (type === "image") return { type: "image_url", image_url: { url: `data:${mimeType};base64,${data}` } };
  const format = /(?:mpeg|mp3)/u.test(mimeType) ? "mp3" : mimeType.endsWith("wav") ? "wav" : undefined;
  if (format === undefined) return { type: "text", text: noAudioNote };
  return { type: "input_audio", input_audio: { data, format } };
}

function assistantMessage(message: AssistantMessage, { endpoint }: RequestContext): ChatMessage {
  const { quirks = {}, providerId } = endpoint;
  const text = sendableText(message.content);
  const own = message.provider?.id === providerId ? message.provider.data : {};
  const extras = Array.isArray(own["calls"]) ? (own["calls"] as readonly JsonValue[]) : [];
  const calls = message.calls.map((call, index): JsonObject => {
    const extra = extras[index];
    return {
      id: wireCallId(call.id, quirks.shortCallIds ?? false),
      type: "function",
      function: { name: wireName(call.name), arguments: wellFormed(argumentsText(call.args)) },
      // Safe cast: only objects are stored in this field.
      ...(typeof extra === "object" && extra !== null ? (extra as JsonObject) : {}),
    };
  });
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(quirks.needsReasoningContent && calls.length > 0 ? { reasoning_content: " " } : {}),
    ...(quirks.replayReasoning === false ? {} : replayed(own)),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
}

/** Fields in which providers send reasoning and expect it back. The last one is Copilot's signature. */
export const reasoningFields = [
  "reasoning_content",
  "reasoning",
  "reasoning_text",
  "reasoning_details",
  "reasoning_opaque",
] as const;

function replayed(own: JsonObject): JsonObject {
  const kept = reasoningFields.flatMap((field): [string, JsonValue][] => {
    const value = own[field];
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(kept);
}

function toolMessage(message: ToolMessage, quirks: Quirks): ChatMessage {
  const { callId, content } = message;
  const head = { role: "tool", tool_call_id: wireCallId(callId, quirks.shortCallIds ?? false) };
  const seen = seenParts(content, quirks);
  if (quirks.imagesInToolResults && seen.length > 0)
    return { ...head, content: content.map((part) => partJson(part, quirks)) };
  const text = sendableText(content.filter((part) => !seen.includes(part)));
  const instead = seen.length > 0 ? `(the ${seen[0]?.type} follows)` : emptyResult;
  return { ...head, content: text === "" ? instead : text };
}

function resultImages({ message }: PlacedMessage<ToolMessage>, quirks: Quirks): readonly JsonObject[] {
  const label = { type: "text", text: `From the result of ${message.name}:` };
  return [label, ...seenParts(message.content, quirks).map((part) => partJson(part, quirks))];
}

// ── the whole request ───────────────────────────────────────────────────────────────────────────────────────────────

function withSystem(messages: readonly ChatMessage[], request: ModelRequest, quirks: Quirks): readonly ChatMessage[] {
  const parts = request.system.filter(({ text }) => text !== "");
  if (parts.length === 0) return messages;
  const text = wellFormed(parts.map((part) => part.text).join("\n\n"));
  const { systemRole = "system" } = quirks;
  if (systemRole === "user") {
    const [first, ...rest] = messages;
    const system = { role: "user", content: text };
    return first?.role === "user" ? [joined(system, first), ...rest] : [system, ...messages];
  }
  const role = systemRole === "developer" ? "developer" : "system";
  if (!quirks.cacheControl) return [{ role, content: text }, ...messages];
  const mark = cacheMark(request, quirks);
  const content = parts.map((part, index): JsonObject => {
    const block = { type: "text", text: wellFormed(index < parts.length - 1 ? `${part.text}\n\n` : part.text) };
    return part.cache ? { ...block, ...mark } : block;
  });
  return [{ role, content }, ...messages];
}

/** Makes user and assistant messages alternate, even after tool results. */
function alternating(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const result: ChatMessage[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    if (message.role === "user" && last?.role === "user") result.splice(-1, 1, joined(last, message));
    else {
      if (message.role === "user" && last?.role === "tool") result.push({ role: "assistant", content: "Understood." });
      result.push(message);
    }
  }
  return result;
}

function joined(one: ChatMessage, other: ChatMessage): ChatMessage {
  if (typeof one.content === "string" && typeof other.content === "string")
    return { ...one, content: `${one.content}\n\n${other.content}` };
  return { ...one, content: [...blocksOf(one), ...blocksOf(other)] };
}

function blocksOf({ content }: ChatMessage): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content ?? [];
}

// ── cache marks ─────────────────────────────────────────────────────────────────────────────────────────────────────

function cacheMark({ cacheTtl }: ModelRequest, quirks: Quirks): JsonObject {
  const long = cacheTtl === "1h" && quirks.cacheTtl !== false;
  return { cache_control: long ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" } };
}

function marked(message: ChatMessage, mark: JsonObject): ChatMessage {
  const blocks = blocksOf(message);
  const last = blocks.at(-1);
  if (last === undefined || last["text"] === "") return message;
  return { ...message, content: [...blocks.slice(0, -1), { ...last, ...mark }] };
}
