import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { ContentPart } from "../../../contracts/model/message.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";

/** Applies a function to every text that the model reads; `data` stays unchanged. */
export function mapText(result: ToolResult, change: (text: string) => string): ToolResult {
  if (result.ok) return { ok: true, value: { ...result.value, content: mapParts(result.value.content, change) } };
  const { message, content } = result.error;
  const shown = content && { content: mapParts(content, change) };
  return { ok: false, error: { ...result.error, message: change(message), ...shown } };
}

/** Applies a function to every string in a JSON value, including keys. Returns the same value if nothing changed. */
export function mapStrings<T extends JsonValue>(value: T, change: (text: string) => string): T;
export function mapStrings(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) {
    const items = value.map((item: JsonValue) => mapStrings(item, change));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isObject(value)) return value;
  // Nothing changes in most values, so nothing is copied before the first change.
  const fields: JsonObject = value;
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    if (item === undefined || (change(key) === key && mapStrings(item, change) === item)) continue;
    const changed = Object.entries(fields).map(([name, each]) => [change(name), mapStrings(each, change)] as const);
    return Object.fromEntries(changed);
  }
  return value;
}

/** The number of characters that a result adds to the conversation, including all of a failure. Images do not count. */
export function textChars(result: ToolResult): number {
  let chars = result.ok ? 0 : result.error.message.length;
  for (const text of dataText(result)) chars += text.length;
  for (const part of resultContent(result)) if (part.type === "text") chars += part.text.length;
  return chars;
}

/**
 * The data of a failure, which the model reads after the message. Empty for a success, because its data repeats its
 * content.
 */
export function dataText(result: ToolResult): readonly string[] {
  return result.ok || result.error.data === undefined ? [] : [JSON.stringify(result.error.data)];
}

export function resultContent(result: ToolResult): readonly ContentPart[] {
  return result.ok ? result.value.content : (result.error.content ?? []);
}

function mapParts(parts: readonly ContentPart[], change: (text: string) => string): readonly ContentPart[] {
  return parts.map((part) => (part.type === "text" ? { ...part, text: change(part.text) } : part));
}
