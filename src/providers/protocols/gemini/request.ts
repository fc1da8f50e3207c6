import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AssistantMessage, ContentPart, ToolMessage, UserMessage } from "../../../contracts/model/message.ts";
import type { ModelRequest } from "../../../contracts/model/model.ts";
import type { Quirks } from "../../endpoint.ts";
import type { RequestContext } from "../adapter.ts";
import { emptyResult, pairedMessages, sendableText, wellFormed, sentPart } from "../conversation.ts";
import { thinkingBudgets, supportsReasoning } from "../reasoning.ts";
import { argumentsObject, wireName } from "../wire-tools.ts";

export function geminiBody(request: ModelRequest, context: RequestContext): JsonObject {
  const { quirks = {} } = context.endpoint;
  const { maxTokens, toolChoice } = request;
  const system = request.system.filter(({ text }) => text !== "").map(({ text }) => ({ text: wellFormed(text) }));
  const hasTools = context.tools.list.length > 0;
  const declared = context.tools.list.map(({ name, description, schema }) => {
    // The API rejects objects without properties, so such tools get no parameters.
    const empty = isObject(schema["properties"]) && Object.keys(schema["properties"]).length === 0;
    return { name, description, ...(empty || schema["properties"] === undefined ? {} : { parameters: schema }) };
  });
  const config = {
    ...(maxTokens === undefined || quirks.maxTokensField === "omit" ? {} : { maxOutputTokens: maxTokens }),
    ...(quirks.temperature === undefined ? {} : { temperature: quirks.temperature }),
    ...thinking(request, quirks),
  };
  return {
    ...(hasTools ? { tools: [{ functionDeclarations: declared }] } : {}),
    ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
    contents: contents(request, context),
    ...(hasTools && toolChoice === "none" ? { toolConfig: { functionCallingConfig: { mode: "NONE" } } } : {}),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
  };
}

function thinking({ model, reasoning }: ModelRequest, quirks: Quirks): JsonObject {
  if (reasoning === undefined || quirks.reasoning === "none" || !supportsReasoning(model)) return {};
  if (/gemini-2\.5/u.test(model)) {
    // Thinking cannot be disabled for the large model.
    if (reasoning === "off") return /pro/u.test(model) ? {} : { thinkingConfig: { thinkingBudget: 0 } };
    return { thinkingConfig: { includeThoughts: true, thinkingBudget: Math.min(thinkingBudgets[reasoning], 24_576) } };
  }
  const level = { off: "low", minimal: "low", low: "low", medium: "medium", high: "high", xhigh: "high" }[reasoning];
  // Third-generation Pro models support only two levels.
  const supported = /gemini-3(?:\.0)?-pro/u.test(model) && level === "medium" ? "high" : level;
  return { thinkingConfig: { includeThoughts: reasoning !== "off", thinkingLevel: supported } };
}

// ── the conversation ────────────────────────────────────────────────────────────────────────────────────────────────

interface Content {
  readonly role: "user" | "model";
  readonly parts: JsonObject[];
}

/**
 * Converts the conversation to strictly alternating turns that start and end with the user. The results of one answer
 * are grouped.
 */
function contents(request: ModelRequest, context: RequestContext): readonly JsonObject[] {
  const { quirks = {} } = context.endpoint;
  const turns: Content[] = [];
  for (const { message } of pairedMessages(request.messages)) {
    const role = message.role === "assistant" ? "model" : "user";
    let parts: readonly JsonObject[];
    if (message.role === "assistant") parts = modelParts(message, context, request.model);
    else if (message.role === "tool") parts = context.memo(message, (one) => resultParts(one, quirks));
    else parts = context.memo(message, (one) => userParts(one, quirks));
    if (parts.length === 0) continue;
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  if (turns[0]?.role !== "user") turns.unshift({ role: "user", parts: [{ text: "Continue." }] });
  if (turns.at(-1)?.role !== "user") turns.push({ role: "user", parts: [{ text: "Continue." }] });
  return turns.map(({ role, parts }) => ({ role, parts: resultsFirst(parts) }));
}

/** Images of one result must not be placed between it and the next result. */
function resultsFirst(parts: readonly JsonObject[]): readonly JsonObject[] {
  if (!parts.some((part) => "functionResponse" in part)) return parts;
  return [
    ...parts.filter((part) => "functionResponse" in part),
    ...parts.filter((part) => !("functionResponse" in part)),
  ];
}

function userParts({ content }: UserMessage, quirks: Quirks): readonly JsonObject[] {
  const parts = content.flatMap((part) => partJson(part, quirks));
  return parts.length > 0 ? parts : [{ text: "(empty)" }];
}

function partJson(part: ContentPart, { images }: Quirks): readonly JsonObject[] {
  if (part.type === "video") return [{ inlineData: { mimeType: part.mimeType, data: part.data } }];
  const sent = sentPart(part, images);
  if (sent.type !== "text") return [{ inlineData: { mimeType: sent.mimeType, data: sent.data } }];
  return sent.text === "" ? [] : [{ text: sent.text }];
}

function resultParts(message: ToolMessage, quirks: Quirks): readonly JsonObject[] {
  const text = sendableText(message.content.filter(({ type }) => type !== "video"));
  const seen = message.content.filter(({ type }) => type === "image" || type === "video");
  const images = seen.flatMap((part) => partJson(part, quirks));
  const output = text === "" ? (images.length > 0 ? "(the image follows)" : emptyResult) : text;
  const response = message.failed ? { error: output } : { output: output };
  return [{ functionResponse: { name: wireName(message.name), response } }, ...images];
}

/** The placeholder that the API accepts instead of a signature for calls of another model. */
const noSignature = "skip_thought_signature_validator";

function modelParts(message: AssistantMessage, { endpoint }: RequestContext, model: string): readonly JsonObject[] {
  const { quirks = {}, providerId } = endpoint;
  const own = message.provider?.id === providerId && quirks.replayReasoning !== false ? message.provider.data : {};
  const text = sendableText(message.content);
  const signatures = Array.isArray(own["calls"]) ? (own["calls"] as readonly JsonValue[]) : [];
  const mustSign = /gemini-(?:[3-9]|\d\d)/u.test(model);
  const calls = message.calls.map((call, index): JsonObject => {
    const signature = signatures[index] ?? (index === 0 && mustSign ? noSignature : undefined);
    const functionCall = { name: wireName(call.name), args: argumentsObject(call.args) };
    return { functionCall, ...(typeof signature === "string" ? { thoughtSignature: signature } : {}) };
  });
  const signed = typeof own["text"] === "string" ? { thoughtSignature: own["text"] } : {};
  return [...(text === "" ? [] : [{ text, ...signed }]), ...calls];
}
