import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ContentPart, Message } from "../../contracts/model/message.ts";
import type { ModelError, ModelRequest } from "../../contracts/model/model.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";
import type { Quirks } from "../endpoint.ts";
import { pngSize, shrinkPng } from "./shrink-png.ts";

/**
 * Changes a rejected request so that the provider accepts it. Each repair is tried once; a repair that helped is kept
 * for later requests on the same route.
 */
export interface Repair {
  readonly name: string;
  /** A text for the user that starts with "retrying …". */
  readonly how: string;
  fits(error: ModelError, request: ModelRequest, quirks: Quirks): boolean;
  quirks?(error: ModelError, quirks: Quirks): Quirks;
  request?(request: ModelRequest, error: ModelError, signal: AbortSignal): ModelRequest | Promise<ModelRequest>;
  /** True if the repair applies to this request only. */
  readonly passing?: boolean;
}

/** Returns the output limit of the model if an error message states it. */
const maxOutputPattern =
  /max_(?:completion_|output_|new_)?tokens\W.{0,60}?(?:> ?|<= ?|at most |equal to `?|maximum[\w\s]{0,30}(?:is|of|:) ?)(\d{3,7})|max_?(?:output)?_?tokens.{0,80}range[\w\s]{0,20}\[\d+, ?(\d{3,7})/iu;

export const repairs: readonly Repair[] = [
  {
    name: "reasoning-content",
    how: "retrying with the reasoning field that the provider requires",
    fits: ({ kind, message }, _request, { needsReasoningContent }) =>
      kind === "reasoning_rejected" && needsReasoningContent !== true && /missing|must|required/iu.test(message),
    quirks: () => ({ needsReasoningContent: true }),
  },
  {
    name: "earlier-reasoning",
    how: "retrying without the reasoning of earlier answers",
    fits: ({ kind }) => kind === "reasoning_rejected",
    quirks: () => ({ replayReasoning: false }),
    request: (request) => ({ ...request, messages: request.messages.map(withoutReasoning) }),
  },
  {
    name: "schema",
    how: "retrying with simpler tool schemas",
    fits: ({ kind }, { tools }) => kind === "schema_rejected" && tools.length > 0,
    request: (request, { message }) => ({ ...request, tools: simplifyTools(request.tools, message) }),
  },
  {
    name: "smaller-images",
    how: "retrying with smaller images",
    passing: true,
    fits: ({ kind }, { messages }) => isTooLarge(kind) && messages.some(({ content }) => content.some(isLargePng)),
    request: async (request, _error, signal) => ({
      ...request,
      messages: await Promise.all(request.messages.map((message) => withSmallImages(message, signal))),
    }),
  },
  {
    name: "older-images",
    how: "retrying with the last image only",
    passing: true,
    fits: (error, { messages }) => isBadImage(error) && countImages(messages) > 1,
    request: (request) => ({ ...request, messages: withoutImages(request.messages, 1) }),
  },
  {
    name: "images",
    how: "retrying with a note instead of the image",
    passing: true,
    fits: (error, { messages }) => isBadImage(error) && countImages(messages) > 0,
    request: (request) => ({ ...request, messages: withoutImages(request.messages, 0) }),
  },
  {
    name: "tool-images",
    how: "retrying with images outside of tool results",
    fits: ({ kind, message }, { messages }, { imagesInToolResults }) =>
      kind === "invalid_request" &&
      imagesInToolResults !== false &&
      /image|multimodal|media/iu.test(message) &&
      messages.some((one) => one.role === "tool" && countImages([one]) > 0),
    quirks: () => ({ imagesInToolResults: false }),
  },
  {
    name: "no-images",
    how: "retrying with notes instead of the images",
    fits: ({ kind, message }, { messages }) =>
      kind !== "schema_rejected" && /image|multimodal|vision|media/iu.test(message) && countImages(messages) > 0,
    quirks: () => ({ images: false }),
  },
  ...quirkRepairs(),
];

/** Parameters that some servers reject, and how the request omits or replaces them. */
function quirkRepairs(): readonly Repair[] {
  const rows: readonly (readonly [string, RegExp, string, (error: ModelError, quirks: Quirks) => Quirks])[] = [
    [
      "answer-bound",
      maxOutputPattern,
      "retrying with a smaller output token limit",
      ({ message }) => ({ maxOutputTokens: Number(maxOutputPattern.exec(message)?.slice(1).find(Boolean)) }),
    ],
    [
      "max-tokens",
      /max_(?:completion_|output_)?tokens/iu,
      "retrying with the other name of the output token limit",
      ({ message }, { maxTokensField }) => ({
        maxTokensField: /max_completion_tokens['"`]? (?:instead|is required)/iu.test(message)
          ? "max_completion_tokens"
          : maxTokensField === "max_completion_tokens"
            ? "max_tokens"
            : maxTokensField === undefined
              ? "max_completion_tokens"
              : "omit",
      }),
    ],
    [
      "temperature",
      /temperature/iu,
      "retrying with the model's default temperature",
      () => ({ temperature: undefined }),
    ],
    [
      "effort",
      /reasoning|thinking|effort/iu,
      "retrying without a reasoning effort",
      () => ({ reasoning: "none", replayReasoning: false }),
    ],
    [
      "stream-usage",
      /stream_options|include_usage/iu,
      "retrying without usage reports",
      () => ({ streamUsage: false }),
    ],
    ["cache", /cache_control/iu, "retrying without cache marks", () => ({ cacheControl: false, cacheTtl: false })],
    [
      "streaming",
      /stream(?:ing)?\b.{0,40}(?:not supported|unsupported|not allowed)/iu,
      "retrying without streaming",
      () => ({ streaming: false }),
    ],
    [
      "developer",
      /developer/iu,
      "retrying with the instructions as a system message",
      () => ({ systemRole: "system" }),
    ],
    [
      "system",
      /system.{0,40}(?:role|message|not supported|unsupported)/iu,
      "retrying with the instructions in the first message",
      () => ({ systemRole: "user" }),
    ],
    [
      "turns",
      /alternat|consecutive|same role|roles must/iu,
      "retrying with consecutive messages of one role joined",
      () => ({ strictTurns: true }),
    ],
    [
      "tool-content",
      /content.{0,60}(?:string|str\b)|(?:string|str) type expected/iu,
      "retrying with tool results as plain text",
      () => ({ listToolContent: false }),
    ],
  ];
  return rows.map(([name, words, how, quirks]) => ({
    name,
    how,
    fits: ({ kind, message }) => kind === "invalid_request" && words.test(message),
    quirks,
  }));
}

function isTooLarge(kind: ModelError["kind"]): boolean {
  return kind === "image_too_large" || kind === "payload_too_large";
}

/** One image is too large or damaged, although the model accepts images in general. */
function isBadImage({ kind, message }: ModelError): boolean {
  return isTooLarge(kind) || (kind === "invalid_request" && damagedImage.test(message));
}

const damagedImage =
  /(?:invalid|corrupt|damaged|not contain a valid)[\w\s,]{0,40}(?:png|jpe?g|gif|webp|image)|image.{0,40}cannot be (?:decoded|processed)|(?:could not|unable to|failed to) (?:decode|process) (?:the )?image/iu;

function withoutReasoning(message: Message): Message {
  if (message.role !== "assistant" || (message.provider === undefined && message.reasoning === undefined))
    return message;
  const { provider: _data, reasoning: _text, ...rest } = message;
  return rest;
}

/** The maximum size in pixels; models scale larger images down anyway. */
const maxPixels = 1_568;

function isLargePng(part: ContentPart): boolean {
  if (part.type !== "image" || part.mimeType !== "image/png") return false;
  const size = pngSize(Buffer.from(part.data.slice(0, 64), "base64"));
  return size !== undefined && Math.max(size.width, size.height) > maxPixels;
}

async function withSmallImages(message: Message, signal: AbortSignal): Promise<Message> {
  if (!message.content.some(isLargePng)) return message;
  const content: ContentPart[] = [];
  for (const part of message.content) {
    const isLarge = part.type === "image" && isLargePng(part);
    const small = isLarge ? await shrinkPng(Buffer.from(part.data, "base64"), maxPixels, signal) : undefined;
    content.push(isLarge && small ? { ...part, data: small.toString("base64") } : part);
  }
  return { ...message, content };
}

function countImages(messages: readonly Message[]): number {
  return messages.reduce((sum, { content }) => sum + content.filter(({ type }) => type === "image").length, 0);
}

/** Replaces all but the last `kept` images with notes. */
function withoutImages(messages: readonly Message[], kept: number): readonly Message[] {
  let left = countImages(messages) - kept;
  return messages.map((message) => {
    if (left <= 0 || !message.content.some(({ type }) => type === "image")) return message;
    const content = message.content.map((part): ContentPart => {
      if (part.type !== "image" || left <= 0) return part;
      left -= 1;
      return { type: "text", text: `[image (${part.mimeType}) omitted: too large for this model]` };
    });
    return { ...message, content };
  });
}

/** Removes schema keywords that servers often reject, and those that the error mentions. */
export function simplifyTools(tools: readonly ToolDefinition[], refusal: string): readonly ToolDefinition[] {
  const named = [...refusal.matchAll(/['"`$]([a-zA-Z]{3,40})['"`]/gu)].map(([, word = ""]) => word);
  const dropped = new Set([...fragile, ...named.filter((word) => !essential.has(word))]);
  return tools.map((tool) => ({ ...tool, inputSchema: plain(tool.inputSchema, dropped) as JsonObject }));
}

/** Keys below `properties` are property names, not keywords. */
function plain(node: JsonValue, dropped: ReadonlySet<string>, areNames = false): JsonValue {
  if (Array.isArray(node)) return node.map((item: JsonValue) => plain(item, dropped));
  if (!isObject(node)) return node;
  const kept = Object.entries(node).filter(([key, value]) => {
    if (areNames) return true;
    if (key === "enum")
      return !(Array.isArray(value) && value.some((word) => typeof word === "string" && /[/\\]/u.test(word)));
    return !dropped.has(key);
  });
  return Object.fromEntries(
    kept.map(([key, value]) => [key, plain(value, dropped, !areNames && key === "properties")]),
  );
}

const fragile: readonly string[] = [
  "pattern",
  "format",
  "default",
  "examples",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "multipleOf",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "propertyNames",
  "patternProperties",
  "contentEncoding",
  "contentMediaType",
  "title",
];

/** Keywords that a schema needs and that are never removed. */
const essential: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "description",
  "object",
]);
