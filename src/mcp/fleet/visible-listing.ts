import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { McpListing } from "../../contracts/mcp/definitions.ts";

/** The listing that the model may read: descriptions without invisible characters. */
export function withoutHiddenText(listing: McpListing): McpListing {
  return {
    ...listing,
    ...(listing.instructions !== undefined && { instructions: withoutHidden(listing.instructions) }),
    tools: listing.tools.map((tool) => ({
      ...tool,
      ...(tool.title !== undefined && { title: withoutHidden(tool.title) }),
      description: withoutHidden(tool.description),
      // The cast is safe: the result of an object stays an object.
      inputSchema: visible(tool.inputSchema) as JsonObject,
    })),
    prompts: listing.prompts.map((prompt) => ({
      ...prompt,
      description: withoutHidden(prompt.description),
      arguments: prompt.arguments.map((each) => ({ ...each, description: withoutHidden(each.description) })),
    })),
  };
}

function visible(node: JsonValue): JsonValue {
  if (Array.isArray(node)) return node.map(visible);
  if (!isObject(node)) return node;
  const shown = Object.entries(node).map(([key, value]) => [
    key,
    typeof value === "string" && isTextKey(key) ? withoutHidden(value) : visible(value),
  ]);
  return Object.fromEntries(shown) as JsonObject;
}

/** Removes invisible characters. */
export function withoutHidden(text: string): string {
  return text.replaceAll(hidden, "");
}

/** Whether the value of this schema keyword is text for a reader. */
export function isTextKey(key: string): boolean {
  return key === "description" || key === "title";
}

/* oxlint-disable no-control-regex, no-misleading-character-class -- the patterns remove these characters */
/** Control characters except tab and line end, zero-width characters, direction marks, and the tag block. */
const hidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0d\ufeff\u{e0000}-\u{e01ef}]/gu;
