import { asId, type CallId } from "../../base/ids.ts";
import { isObject, type JsonArray, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type AssistantMessage, type ContentPart, type Message, shownContent } from "../../contracts/model/message.ts";
import type { ModelRequest } from "../../contracts/model/model.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";

/** A `sampling/createMessage` request in the format of our models. */
export interface SamplingRequest {
  readonly request: Omit<ModelRequest, "model"> & { readonly maxTokens: number };
  /** Model names, or parts of them, that the server prefers. */
  readonly hints: readonly string[];
  readonly stopTexts: readonly string[];
}

const maxMessages = 1_000;
const maxTools = 128;

/** Reads a request. The session's own messages are never included, whatever `includeContext` says. */
export function readSamplingRequest(params: JsonObject, tokenLimit: number): Result<SamplingRequest, string> {
  const { messages, systemPrompt, maxTokens, modelPreferences, stopSequences, tools, toolChoice } = params;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > maxMessages)
    return err(`messages must be a list of 1 to ${maxMessages} messages`);
  if (typeof maxTokens !== "number" || !(maxTokens >= 1)) return err("maxTokens must be a number of at least 1");
  const conversation = readMessages(messages);
  if (!conversation.ok) return conversation;
  const definitions = readTools(tools);
  if (!definitions.ok) return definitions;
  const isForbidden = isObject(toolChoice) && toolChoice["mode"] === "none";
  const hints = isObject(modelPreferences) ? listOf(modelPreferences["hints"]) : [];
  return ok({
    request: {
      system: typeof systemPrompt === "string" && systemPrompt !== "" ? [{ text: systemPrompt }] : [],
      messages: conversation.value,
      tools: definitions.value,
      maxTokens: Math.min(Math.floor(maxTokens), tokenLimit),
      ...(isForbidden && { toolChoice: "none" as const }),
    },
    hints: hints.flatMap((hint) => (isObject(hint) && typeof hint["name"] === "string" ? [hint["name"]] : [])),
    stopTexts: listOf(stopSequences).filter((text): text is string => typeof text === "string" && text !== ""),
  });
}

function readMessages(messages: JsonArray): Result<readonly Message[], string> {
  const read: Message[] = [];
  for (const message of messages) {
    if (!isObject(message)) return err("a message must be an object");
    const { content } = message;
    const blocks = (Array.isArray(content) ? content : [content]).filter(isObject);
    const next =
      message["role"] === "assistant"
        ? assistantMessage(blocks)
        : message["role"] === "user"
          ? userMessages(blocks, read)
          : err("the role of a message must be user or assistant");
    if (!next.ok) return next;
    if (blocks.length === 0) return err("a message has no content");
    read.push(...next.value);
  }
  return ok(read);
}

type Block = Readonly<Record<string, unknown>>;

function assistantMessage(blocks: readonly Block[]): Result<readonly Message[], string> {
  const calls = blocks.flatMap(({ type, id, name, input }) => {
    if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") return [];
    // The cast is safe: the value is a JSON field.
    return [{ id: asId<CallId>(id), name, args: isObject(input) ? (input as JsonObject) : {} }];
  });
  const content = readContent(blocks.filter(({ type }) => type !== "tool_use"));
  if (!content.ok) return content;
  return ok([{ role: "assistant", content: content.value, calls, stop: calls.length > 0 ? "calls" : "end" }]);
}

/** Tool results must be in a separate message, and each must belong to a call in the previous message. */
function userMessages(blocks: readonly Block[], before: readonly Message[]): Result<readonly Message[], string> {
  const results = blocks.filter(({ type }) => type === "tool_result");
  if (results.length === 0) {
    const content = readContent(blocks);
    return content.ok ? ok([{ role: "user", content: content.value }]) : content;
  }
  if (results.length < blocks.length) return err("a message with tool results may contain nothing else");
  const last = before.at(-1);
  const calls = last?.role === "assistant" ? last.calls : [];
  const messages: Message[] = [];
  for (const { toolUseId, content, isError } of results) {
    const call = calls.find(({ id }) => id === toolUseId);
    if (!call) return err("a tool result must answer a call of the message before it");
    const parts = readContent((Array.isArray(content) ? content : []).filter(isObject));
    if (!parts.ok) return parts;
    messages.push({
      role: "tool",
      callId: call.id,
      name: call.name,
      failed: isError === true,
      content: parts.value,
    });
  }
  return messages.length === calls.length ? ok(messages) : err("every call needs one tool result");
}

function readContent(blocks: readonly Block[]): Result<readonly ContentPart[], string> {
  const parts: ContentPart[] = [];
  for (const { type, text, data, mimeType } of blocks) {
    if (type === "text" && typeof text === "string") parts.push({ type, text });
    else if ((type === "image" || type === "audio") && typeof data === "string" && typeof mimeType === "string")
      parts.push({ type, data, mimeType });
    else return err("content must be text, image or audio, with its fields");
  }
  return ok(parts);
}

function readTools(tools: unknown): Result<readonly ToolDefinition[], string> {
  const given = listOf(tools);
  if (given.length > maxTools) return err(`a request may contain at most ${maxTools} tools`);
  const read = given.flatMap((tool): readonly ToolDefinition[] => {
    if (!isObject(tool) || typeof tool["name"] !== "string" || !/^[\w.-]{1,64}$/u.test(tool["name"])) return [];
    const { name, description, inputSchema } = tool;
    const schema = isObject(inputSchema) ? (inputSchema as JsonObject) : { type: "object" };
    return [{ name, description: typeof description === "string" ? description : "", inputSchema: schema }];
  });
  return read.length === given.length ? ok(read) : err("every tool needs a name of letters, digits, _, . and -");
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Converts the answer of the model to the format for the server. */
export function samplingResult(message: AssistantMessage, model: string, { stopTexts }: SamplingRequest): JsonObject {
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const stopAt = Math.min(...stopTexts.map((stop) => text.indexOf(stop)).filter((offset) => offset >= 0));
  const isStopped = Number.isFinite(stopAt);
  const own = { type: "text", text: isStopped ? text.slice(0, stopAt) : text };
  const calls = isStopped
    ? []
    : message.calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: argsOf(args) }));
  const stopReason = isStopped ? "stopSequence" : calls.length > 0 ? "toolUse" : stopReasons[message.stop];
  const content = calls.length === 0 ? own : [...(text === "" ? [] : [own]), ...calls];
  return { role: "assistant", content, model, stopReason };
}

const stopReasons = { end: "endTurn", calls: "endTurn", length: "maxTokens", refused: "endTurn" } as const;

function argsOf(args: string | JsonObject): JsonObject {
  if (typeof args !== "string") return args;
  try {
    const read: unknown = JSON.parse(args);
    // The cast is safe: the value was parsed from JSON.
    return isObject(read) ? (read as JsonObject) : {};
  } catch {
    return {};
  }
}

/** The request as the user sees it before allowing it. */
export function shownRequest({ request }: SamplingRequest, model: string): string {
  const { system, messages, tools, maxTokens } = request;
  return [
    `model: ${model}, at most ${maxTokens} tokens`,
    ...(tools.length === 0 ? [] : [`tools of the server: ${tools.map(({ name }) => name).join(", ")}`]),
    ...system.map(({ text }) => `system: ${text}`),
    ...messages.map(({ role, content }) => `${role}: ${shownContent(content)}`),
  ].join("\n");
}
