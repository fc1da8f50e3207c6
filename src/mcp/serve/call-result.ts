import { pathToFileURL } from "node:url";

import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

import { isObject, parsedJson } from "../../base/json.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import type { ToolOutput, ToolResult } from "../../contracts/tool/tool-result.ts";

/**
 * Converts the result of a call to the protocol format. A failure is a result too, because the client's model reads
 * it.
 */
export function callResult(result: ToolResult): CallToolResult {
  if (result.ok) return { content: result.value.content.map(contentBlock), ...structuredPart(result.value) };
  const { message, data, content = [] } = result.error;
  const facts = isObject(data) ? data : data === undefined ? {} : { data };
  const text = JSON.stringify({ ...facts, error: message });
  return { content: [{ type: "text", text }, ...content.map(contentBlock)], isError: true };
}

/**
 * The data of a result as structured content. Some clients show their model nothing else, so it must be equivalent to
 * the content: it is the text itself, parsed as JSON. It contains no secrets, and is absent if the text is fenced,
 * shortened or replaced.
 */
function structuredPart({ content, data }: ToolOutput): Pick<CallToolResult, "structuredContent"> {
  const [part] = content;
  if (!isObject(data) || part?.type !== "text" || content.length > 1) return {};
  const structured = parsedJson(part.text);
  return isObject(structured) ? { structuredContent: structured } : {};
}

export function contentBlock(part: ContentPart): ContentBlock {
  if (part.type === "text") {
    const { text, resource } = part;
    return resource ? { type: "resource", resource: { ...resource, text } } : { type: "text", text };
  }
  if (part.type === "video") return { type: "text", text: "[video]" };
  if (part.type !== "file") return { ...part };
  const { path, mimeType } = part;
  const uri = pathToFileURL(path).href;
  return { type: "resource_link", uri, name: path, ...(mimeType !== undefined && { mimeType }) };
}
