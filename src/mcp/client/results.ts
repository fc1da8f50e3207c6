import { checkJson, isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { McpCallResult } from "../../contracts/mcp/connection.ts";
import type { ContentPart } from "../../contracts/model/message.ts";

/**
 * Converts a result of `tools/call` to parts for the model. The error explains how the result violates the protocol
 * or a limit.
 */
export function callResultOf(raw: JsonObject): Result<McpCallResult, string> {
  const content = partsOf(raw.content ?? []);
  if (!content.ok) return content;
  const structured =
    raw.structuredContent === undefined ? undefined : checkJson(raw.structuredContent, structuredLimits);
  if (structured && !structured.ok) return err(`the structured content is invalid: ${structured.error}`);
  const meta = metaOf(raw._meta);
  return ok({
    content: content.value,
    ...(structured && { structured: structured.value }),
    ...(meta && { meta }),
    isError: raw.isError === true,
  });
}

/** Converts the contents of a resource: text, images and audio; other bytes are only described. */
export function resourceParts(raw: JsonObject): Result<readonly ContentPart[], string> {
  const contents = Array.isArray(raw.contents) ? raw.contents : [];
  return partsOf(contents.map((resource) => ({ type: "resource", resource })));
}

/** Converts the messages of a prompt. */
export function promptParts(raw: JsonObject): Result<readonly ContentPart[], string> {
  const messages = Array.isArray(raw.messages) ? raw.messages : [];
  return partsOf(messages.flatMap((message) => (isObject(message) ? (message.content ?? []) : [])));
}

function partsOf(blocks: unknown): Result<readonly ContentPart[], string> {
  if (!Array.isArray(blocks)) return err("the content is not a list");
  if (blocks.length > maxBlocks) return err(`the content has more than ${maxBlocks} parts`);
  const parts: ContentPart[] = [];
  let chars = 0;
  for (const block of blocks as unknown[]) {
    const part = partOf(block);
    chars += part.type === "text" ? part.text.length : part.data.length;
    if (chars > maxResultChars) return err(`the content is larger than ${maxResultChars >> 20} MB`);
    parts.push(part);
  }
  return ok(parts);
}

type OwnPart = Exclude<ContentPart, { type: "file" }>;

function partOf(block: unknown): OwnPart {
  if (!isObject(block)) return text("[a part that cannot be read]");
  switch (block.type) {
    case "text":
      return text(stringOf(block.text));
    case "image":
    case "audio":
      return mediaPart(block.type, stringOf(block.mimeType), stringOf(block.data));
    case "resource_link":
      return text(linkText(block));
    case "resource":
      return resourcePart(isObject(block.resource) ? block.resource : {});
    default:
      return text(`[a part of the unknown kind ${JSON.stringify(oneLine(stringOf(block.type), 40))}]`);
  }
}

function resourcePart(resource: Record<string, unknown>): OwnPart {
  const uri = oneLine(stringOf(resource.uri), maxUriChars);
  const mimeType = stringOf(resource.mimeType);
  if (typeof resource.text === "string") return text(`[${uri}]\n${stringOf(resource.text)}`);
  const data = stringOf(resource.blob);
  if (mimeType.startsWith("image/")) return mediaPart("image", mimeType, data);
  if (mimeType.startsWith("audio/")) return mediaPart("audio", mimeType, data);
  const kind = mimeType === "" ? "binary" : oneLine(mimeType, maxMimeChars);
  return text(`[${uri}: ${kind} data, ${Math.floor((data.length * 3) / 4)} bytes, not shown]`);
}

function mediaPart(type: "image" | "audio", mimeType: string, data: string): OwnPart {
  if (!mediaType.test(mimeType) || !base64.test(data)) return text(`[${type} that cannot be read]`);
  return { type, mimeType, data };
}

function linkText(link: Record<string, unknown>): string {
  const name = oneLine(stringOf(link.title) || stringOf(link.name), maxNameChars);
  const about = oneLine(stringOf(link.description), maxNameChars);
  return `[resource ${oneLine(stringOf(link.uri), maxUriChars)}${name && `: ${name}`}${about && ` – ${about}`}]`;
}

/** Removes reserved keys, which have a meaning only for the client. */
function metaOf(raw: unknown): JsonObject | undefined {
  if (!isObject(raw)) return undefined;
  const own = Object.entries(raw).filter(([key]) => !isReserved(key));
  const checked = checkJson(Object.fromEntries(own), metaLimits);
  return own.length > 0 && checked.ok && isObject(checked.value) ? checked.value : undefined;
}

/** A prefix is reserved if the label before its end is `modelcontextprotocol` or `mcp`, as in `io.modelcontextprotocol/`. */
function isReserved(key: string): boolean {
  if (key === "progressToken") return true;
  const prefix = key.includes("/") ? (key.split("/", 1)[0] ?? "") : "";
  return prefix.split(".").some((label) => label === "modelcontextprotocol" || label === "mcp");
}

function text(value: string): OwnPart {
  return { type: "text", text: value };
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

const maxResultChars = 50 * 2 ** 20;
const maxBlocks = 10_000;
const maxUriChars = 2_000;
const maxNameChars = 300;
const maxMimeChars = 100;
const structuredLimits = { maxChars: maxResultChars, maxDepth: 100 };
const metaLimits = { maxChars: 65_536, maxDepth: 20 };
const mediaType = /^(?:image|audio)\/[\w.+-]{1,80}$/u;
const base64 = /^[A-Za-z0-9+/_=-]*$/u;
