import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AssistantMessage, ContentPart, ToolMessage, UserMessage } from "../../../contracts/model/message.ts";
import type { ModelRequest } from "../../../contracts/model/model.ts";
import type { Quirks } from "../../endpoint.ts";
import type { RequestContext } from "../adapter.ts";
import {
  emptyResult,
  imagesOf,
  noAudioNote,
  pairedMessages,
  sendableText,
  wellFormed,
  sentPart,
} from "../conversation.ts";
import { nearestEffort, supportsReasoning } from "../reasoning.ts";
import { argumentsText, wireCallId, wireName, type ListedTool } from "../wire-tools.ts";

export function responsesBody(request: ModelRequest, context: RequestContext): JsonObject {
  const { quirks = {} } = context.endpoint;
  const { model, maxTokens, toolChoice, conversation, reasoning } = request;
  const system = wellFormed(
    request.system
      .map(({ text }) => text)
      .filter(Boolean)
      .join("\n\n"),
  );
  const { systemRole = "instructions" } = quirks;
  const hasTools = context.tools.list.length > 0;
  const reasons = supportsReasoning(model) && quirks.reasoning !== "none";
  const effort = reasoning === undefined ? undefined : nearestEffort(reasoning, quirks.efforts);
  const spoken = system === "" || systemRole === "instructions" ? [] : [{ role: systemRole, content: system }];
  return {
    model,
    stream: quirks.streaming !== false,
    store: false,
    ...(system !== "" && systemRole === "instructions" ? { instructions: system } : {}),
    ...(hasTools ? { tools: context.tools.list.map(toolJson) } : {}),
    input: [...spoken, ...inputItems(request, context)],
    ...(hasTools && toolChoice === "none" ? { tool_choice: "none" } : {}),
    ...(hasTools && quirks.parallelToolCalls !== undefined ? { parallel_tool_calls: quirks.parallelToolCalls } : {}),
    ...(reasons ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(reasons && effort !== undefined
      ? { reasoning: effort === "none" ? { effort } : { effort, summary: "auto" } }
      : {}),
    ...(maxTokens !== undefined && quirks.maxTokensField !== "omit" ? { max_output_tokens: maxTokens } : {}),
    ...(quirks.temperature === undefined ? {} : { temperature: quirks.temperature }),
    ...(request.isFast ? quirks.fast : {}),
    ...(conversation === undefined ? {} : { [quirks.conversationField ?? "prompt_cache_key"]: conversation }),
  };
}

function toolJson({ name, description, schema }: ListedTool): JsonObject {
  return { type: "function", name, description, parameters: schema, strict: false };
}

function inputItems({ messages }: ModelRequest, context: RequestContext): readonly JsonObject[] {
  const { quirks = {} } = context.endpoint;
  const items: JsonObject[] = [];
  let images: JsonObject[] = [];
  const showImages = (): void => {
    if (images.length > 0) items.push({ role: "user", content: images });
    images = [];
  };
  for (const { message } of pairedMessages(messages)) {
    if (message.role === "tool") {
      items.push(context.memo(message, (one) => resultItem(one, quirks)));
      if (quirks.imagesInToolResults === false && imagesOf(message.content).length > 0)
        images.push(
          { type: "input_text", text: `From the result of ${message.name}:` },
          ...imagesOf(message.content).map((part) => partJson(part, quirks)),
        );
      continue;
    }
    showImages();
    if (message.role === "user") items.push(context.memo(message, (one) => userItem(one, quirks)));
    else items.push(...context.memo(message, (one) => assistantItems(one, context)));
  }
  showImages();
  return items;
}

function userItem({ content }: UserMessage, quirks: Quirks): JsonObject {
  return { role: "user", content: content.map((part) => partJson(part, quirks)) };
}

function partJson(part: ContentPart, { images }: Quirks): JsonObject {
  const sent = sentPart(part, images);
  if (sent.type === "image") return { type: "input_image", image_url: `data:${sent.mimeType};base64,${sent.data}` };
  return { type: "input_text", text: sent.type === "text" ? sent.text : noAudioNote };
}

function resultItem({ callId, content }: ToolMessage, quirks: Quirks): JsonObject {
  const head = { type: "function_call_output", call_id: wireCallId(callId, false) };
  if (quirks.imagesInToolResults !== false && imagesOf(content).length > 0)
    return { ...head, output: content.map((part) => partJson(part, quirks)) };
  const text = sendableText(content);
  return { ...head, output: text === "" ? emptyResult : text };
}

/**
 * Returns reasoning, texts and calls in their original order if this provider wrote them: encrypted reasoning must
 * precede the item that it led to.
 */
function assistantItems(message: AssistantMessage, { endpoint }: RequestContext): readonly JsonObject[] {
  const { quirks = {}, providerId } = endpoint;
  const own = message.provider?.id === providerId ? message.provider.data["items"] : undefined;
  const texts = message.content.map((part) => sendableText([part])).filter((text) => text !== "");
  const calls = [...message.calls];
  const items: JsonObject[] = [];
  const say = (text: string | undefined, phase?: JsonValue): void => {
    if (text === undefined) return;
    const content = [{ type: "output_text", text }];
    items.push({ type: "message", role: "assistant", content, ...(phase === undefined ? {} : { phase }) });
  };
  const call = (): void => {
    const next = calls.shift();
    if (next === undefined) return;
    const args = wellFormed(argumentsText(next.args));
    const name = wireName(next.name);
    items.push({ type: "function_call", call_id: wireCallId(next.id, false), name, arguments: args });
  };
  for (const item of Array.isArray(own) ? (own as readonly JsonValue[]) : []) {
    if (!isObject(item)) continue;
    if (item["type"] === "message") say(texts.shift(), item["phase"]);
    else if (item["type"] === "function_call") call();
    else if (quirks.replayReasoning !== false) items.push(item);
  }
  for (const text of texts) say(text);
  while (calls.length > 0) call();
  // The API rejects reasoning without a following item.
  while (items.at(-1)?.["type"] === "reasoning") items.pop();
  return items;
}
