import { checkJson, isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result, valueOr } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { McpCallResult } from "../../contracts/mcp/connection.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import { kindOfBlob } from "./blob-kind.ts";

/**
 * Converts a result of `tools/call` to parts for the model. The error explains how the result violates the protocol
 * or a limit.
 */
export async function callResultOf(raw: JsonObject, keep: KeepBlob): Promise<Result<McpCallResult, string>> {
  const structured =
    raw.structuredContent === undefined ? undefined : checkJson(raw.structuredContent, structuredLimits);
  if (structured && !structured.ok) return err(`the structured content is invalid: ${structured.error}`);
  const content = await partsOf(raw.content ?? [], keep);
  if (!content.ok) return content;
  const meta = metaOf(raw._meta);
  return ok({
    content: content.value,
    ...(structured && { structured: structured.value }),
    ...(meta && { meta }),
    isError: raw.isError === true,
  });
}

/** Converts the contents of a resource. */
export function resourceParts(raw: JsonObject, keep: KeepBlob): Promise<Result<readonly ContentPart[], string>> {
  const contents = Array.isArray(raw.contents) ? raw.contents : [];
  return partsOf(
    contents.map((resource) => ({ type: "resource", resource })),
    keep,
  );
}

/** Converts the messages of a prompt. */
export function promptParts(raw: JsonObject, keep: KeepBlob): Promise<Result<readonly ContentPart[], string>> {
  const messages = Array.isArray(raw.messages) ? raw.messages : [];
  return partsOf(
    messages.flatMap((message) => (isObject(message) ? (message.content ?? []) : [])),
    keep,
  );
}

/** Saves bytes that no part for a model can hold as a file. The error explains why there is no file. */
export type KeepBlob = (blob: KeptBlob) => Promise<Result<{ readonly path: string }, string>>;

export interface KeptBlob {
  /** A name from the address of the resource, in lower case letters, digits and hyphens. */
  readonly name: string;
  readonly extension: string;
  readonly bytes: Uint8Array;
}

/** Bytes of the server, before they are saved. */
interface Blob extends KeptBlob {
  readonly type: "blob";
  readonly uri: string;
  readonly mimeType: string;
}

async function partsOf(blocks: unknown, keep: KeepBlob): Promise<Result<readonly ContentPart[], string>> {
  if (!Array.isArray(blocks)) return err("the content is not a list");
  if (blocks.length > maxBlocks) return err(`the content has more than ${maxBlocks} parts`);
  const read: (OwnPart | Blob)[] = [];
  let chars = 0;
  for (const block of blocks as unknown[]) {
    const part = partOf(block);
    chars += sentChars(part);
    if (chars > maxResultChars) return err(`the content is larger than ${maxResultChars >> 20} MB`);
    read.push(part);
  }
  const parts: ContentPart[] = [];
  let files = 0;
  for (const part of read) parts.push(...(part.type === "blob" ? await keptParts(part, files++, keep) : [part]));
  return ok(parts);
}

/** The length of a part as the server sent it: bytes are base64. */
function sentChars(part: OwnPart | Blob): number {
  if (part.type === "blob") return (part.bytes.length * 4) / 3;
  return part.type === "text" ? part.text.length : part.data.length;
}

/** A description of the bytes, and the file that holds them. */
async function keptParts(blob: Blob, index: number, keep: KeepBlob): Promise<readonly ContentPart[]> {
  const { uri, mimeType, bytes } = blob;
  const kept = index < maxFiles ? await keep(blob) : err(`a result may have at most ${maxFiles} files`);
  const about = `${uri}: ${mimeType}, ${bytes.length} bytes`;
  if (!kept.ok) return [text(`[${about}, not saved: ${kept.error}]`)];
  const { path } = kept.value;
  return [text(`[${about}, saved as ${path}]`), { type: "file", path, mimeType }];
}

type OwnPart = Exclude<ContentPart, { type: "file" }>;

function partOf(block: unknown): OwnPart | Blob {
  if (!isObject(block)) return text("[a part that cannot be read]");
  switch (block.type) {
    case "text":
      return text(stringOf(block.text));
    case "image":
    case "audio":
      return mediaPart(block.type, stringOf(block.mimeType), stringOf(block.data), block.type);
    case "resource_link":
      return text(linkText(block));
    case "resource":
      return resourcePart(isObject(block.resource) ? block.resource : {});
    default:
      return text(`[a part of the unknown kind ${JSON.stringify(oneLine(stringOf(block.type), 40))}]`);
  }
}

function resourcePart(resource: Record<string, unknown>): OwnPart | Blob {
  const uri = oneLine(stringOf(resource.uri), maxUriChars);
  const mimeType = stringOf(resource.mimeType);
  if (typeof resource.text === "string") return text(`[${uri}]\n${stringOf(resource.text)}`);
  const data = stringOf(resource.blob);
  if (mimeType.startsWith("audio/")) return mediaPart("audio", mimeType, data, uri);
  return blobPart(uri, mimeType, data);
}

function mediaPart(type: "image" | "audio", mimeType: string, data: string, uri: string): OwnPart | Blob {
  if (!mimeType.startsWith(`${type}/`)) return text(`[${type} that cannot be read]`);
  if (type === "image") return blobPart(uri, mimeType, data);
  return mediaType.test(mimeType) && base64.test(data)
    ? { type, mimeType, data }
    : text(`[${type} that cannot be read]`);
}

/** The kind is that of the bytes: an image that models accept, a text, or a file. */
function blobPart(uri: string, declared: string, data: string): OwnPart | Blob {
  if (!base64.test(data)) return text(`[${uri}: data that cannot be read]`);
  const bytes = Buffer.from(data, "base64");
  const { mimeType, extension, isText, isImage } = kindOfBlob(bytes, declared);
  if (isImage) return { type: "image", mimeType, data };
  if (isText) return text(`[${uri}]\n${bytes.toString("utf8")}`);
  return { type: "blob", uri, mimeType, extension, name: nameOf(uri), bytes };
}

/** The last word of the path, without its extension. */
function nameOf(uri: string): string {
  const [encoded = ""] = uri.split(/[?#]/u, 1);
  const path = valueOr(() => decodeURIComponent(encoded), encoded);
  const last = /([^/\\:]*?)(?:\.[a-z0-9]{1,10})?[/\\]*$/iu.exec(path)?.[1] ?? "";
  const plain = last.toLowerCase().replaceAll(/[^a-z0-9]+/gu, "-");
  return plain.slice(0, maxFileNameChars).replaceAll(/^-|-$/gu, "") || "data";
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
const maxFiles = 50;
const maxFileNameChars = 60;
const structuredLimits = { maxChars: maxResultChars, maxDepth: 100 };
const metaLimits = { maxChars: 65_536, maxDepth: 20 };
const mediaType = /^audio\/[\w.+-]{1,80}$/u;
const base64 = /^[A-Za-z0-9+/_=-]*$/u;
