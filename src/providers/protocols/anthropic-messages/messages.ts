import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AssistantMessage, ContentPart, ToolMessage, UserMessage } from "../../../contracts/model/message.ts";
import type { ModelRequest } from "../../../contracts/model/model.ts";
import type { Endpoint, Quirks } from "../../endpoint.ts";
import type { RequestContext } from "../adapter.ts";
import { imagesOf, noAudioNote, pairedMessages, sendableText, sentPart } from "../conversation.ts";
import { argumentsObject, wireCallId, wireName } from "../wire-tools.ts";

export interface CacheMarks {
  /** The indexes of the messages in the request that have a cache mark. */
  readonly marks: readonly number[];
  readonly mark: JsonObject;
}

/**
 * Converts the conversation to strictly alternating turns, with the user first and last. Tool results precede the
 * user's text.
 */
export function anthropicMessages(
  request: ModelRequest,
  context: RequestContext,
  cache: CacheMarks | undefined,
): readonly JsonObject[] {
  const { quirks = {} } = context.endpoint;
  const marks = new Set(cache?.marks);
  const turns: { readonly role: "user" | "assistant"; readonly content: JsonObject[] }[] = [];
  for (const { message, index } of pairedMessages(request.messages)) {
    const role = message.role === "assistant" ? "assistant" : "user";
    let blocks: readonly JsonObject[];
    if (message.role === "assistant") blocks = context.memo(message, (one) => assistantBlocks(one, context.endpoint));
    else if (message.role === "tool") blocks = context.memo(message, (one) => [resultBlock(one, quirks)]);
    else blocks = context.memo(message, (one) => userBlocks(one, quirks));
    if (cache && index !== undefined && marks.has(index)) blocks = marked(blocks, cache.mark);
    if (blocks.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: [...blocks] });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: [{ type: "text", text: "Continue." }] });
  if (turns.at(-1)?.role !== "user") turns.push({ role: "user", content: [{ type: "text", text: "Continue." }] });
  return turns;
}

/** False while calls are pending that another model made, or that were made without thinking. */
export function canThink({ messages }: ModelRequest, endpoint: Endpoint): boolean {
  const last = messages.findLast(({ role }) => role !== "tool");
  if (last?.role !== "assistant" || last.calls.length === 0) return true;
  return thoughts(last, endpoint).some((block) => block !== undefined);
}

function userBlocks({ content }: UserMessage, quirks: Quirks): readonly JsonObject[] {
  const blocks = content.flatMap((part) => partBlock(part, quirks));
  return blocks.length > 0 ? blocks : [{ type: "text", text: "(empty)" }];
}

const imageTypes: ReadonlySet<string> = new Set(["image/jpeg", "image/png", "image/gif", "image/webp"]);

/** The API rejects texts without visible characters. */
function partBlock(part: ContentPart, { images }: Quirks): readonly JsonObject[] {
  const sent = sentPart(part, images !== false && part.type === "image" && imageTypes.has(part.mimeType));
  if (sent.type === "image")
    return [{ type: "image", source: { type: "base64", media_type: sent.mimeType, data: sent.data } }];
  const text = sent.type === "text" ? sent.text : noAudioNote;
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

function resultBlock({ callId, content, failed }: ToolMessage, quirks: Quirks): JsonObject {
  const hasImage = imagesOf(content).length > 0;
  const text = sendableText(content);
  const inside = hasImage ? content.flatMap((part) => partBlock(part, quirks)) : text;
  return {
    type: "tool_result",
    tool_use_id: wireCallId(callId, false).replaceAll(/[.:]/gu, "_"),
    ...(!hasImage && text.trim() === "" ? {} : { content: inside }),
    ...(failed ? { is_error: true } : {}),
  };
}

/**
 * Returns thinking, texts and calls in their original order: signed blocks must be sent back unchanged and in place.
 */
function assistantBlocks(message: AssistantMessage, endpoint: Endpoint): readonly JsonObject[] {
  // Omits texts without visible characters, but keeps their positions.
  const texts = message.content.map((part) => partBlock(part, { images: false }));
  const calls = message.calls.map((call): JsonObject => {
    const id = wireCallId(call.id, false).replaceAll(/[.:]/gu, "_");
    return { type: "tool_use", id, name: wireName(call.name), input: argumentsObject(call.args) };
  });
  const blocks: JsonObject[] = [];
  for (const thought of thoughts(message, endpoint)) blocks.push(...(thought ? [thought] : (texts.shift() ?? [])));
  return [...blocks, ...texts.flat(), ...calls];
}

/** Returns the thinking blocks of this provider, with a gap for each text between them. */
function thoughts({ provider }: AssistantMessage, endpoint: Endpoint): readonly (JsonObject | undefined)[] {
  if (provider?.id !== endpoint.providerId || endpoint.quirks?.replayReasoning === false) return [];
  const { blocks } = provider.data;
  if (!Array.isArray(blocks)) return [];
  return (blocks as readonly JsonValue[]).map((block) => (isObject(block) ? block : undefined));
}

function marked(blocks: readonly JsonObject[], mark: JsonObject): readonly JsonObject[] {
  const lastIndex = blocks.findLastIndex(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return blocks.map((block, index) => (index === lastIndex ? { ...block, cache_control: mark } : block));
}
