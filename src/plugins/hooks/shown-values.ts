import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { type Message, shownContent } from "../../contracts/model/message.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";

/**
 * Event values in the form that hooks outside this process receive: JSON with masked secrets and shortened histories.
 */
export interface ShownValues {
  text(text: string): string;
  /** Converts any plain data. Fields that are undefined are dropped. */
  json(value: unknown): JsonValue;
  /** The latest messages that fit the limit, in the format of the chat protocol. */
  messages(messages: readonly Message[], maxChars: number): readonly JsonObject[];
  result(result: ToolResult): string;
}

/**
 * The maximum characters of history in an event of a turn. Events of one request get fewer, because they are
 * frequent.
 */
export const maxTurnChars = 200_000;
export const maxRequestChars = 4_000;

/** Each message is converted only once, because every request of a turn contains the earlier messages again. */
export function createShownValues(redactor: Redactor): ShownValues {
  const redact = remembering((text) => redactor.redact(text));
  const shown = new WeakMap<Message, { readonly message: JsonObject; readonly chars: number }>();

  function json(value: unknown): JsonValue {
    if (typeof value === "string") return redact(value);
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value === "boolean") return value;
    if (typeof value !== "object" || value === null) return null;
    if (Array.isArray(value)) return value.map((item: unknown) => json(item));
    const copy: Record<string, JsonValue> = {};
    for (const [name, item] of Object.entries(value)) if (item !== undefined) copy[name] = json(item);
    return copy;
  }

  function convert(message: Message): { readonly message: JsonObject; readonly chars: number } {
    const before = shown.get(message);
    if (before) return before;
    const content = redact(shownContent(message.content));
    const converted = { message: chatMessage(message, content, json), chars: content.length + 60 };
    shown.set(message, converted);
    return converted;
  }

  return {
    text: (text) => redact(text),
    json,
    messages(messages, maxChars) {
      const last: JsonObject[] = [];
      let chars = 0;
      for (const message of messages.toReversed()) {
        const converted = convert(message);
        chars += converted.chars;
        if (chars > maxChars && last.length > 0) break;
        last.push(converted.message);
      }
      return last.toReversed();
    },
    result: (result) =>
      redact(result.ok ? shownContent(result.value.content) : JSON.stringify({ error: result.error.message })),
  };
}

/** Results are cached: several events of a call contain the same texts, and masking is the slowest step. */
function remembering(mask: (text: string) => string): (text: string) => string {
  let masked = new Map<string, string>();
  let chars = 0;
  return (text) => {
    const before = masked.get(text);
    if (before !== undefined) return before;
    const result = mask(text);
    chars += text.length;
    if (chars > maxRememberedChars) [masked, chars] = [new Map(), text.length];
    masked.set(text, result);
    return result;
  };
}

const maxRememberedChars = 500_000;

/**
 * A message in the format of the chat protocol, which hooks of Python Hermes use. Parts other than text appear only
 * by name.
 */
function chatMessage(message: Message, content: string, json: (value: unknown) => JsonValue): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", content };
    case "tool":
      return { role: "tool", tool_call_id: message.callId, name: message.name, content };
    case "assistant":
      return {
        role: "assistant",
        content,
        ...(message.calls.length > 0 && {
          tool_calls: message.calls.map(({ id, name, args }) => ({
            id,
            type: "function",
            function: { name, arguments: typeof args === "string" ? json(args) : JSON.stringify(json(args)) },
          })),
        }),
      };
  }
}

/** Restores the original value of each argument that a hook returned in masked form. */
export function withOwnArgs(reply: unknown, shown: JsonObject, event: { readonly args?: unknown }): unknown {
  if (event.args === undefined || !isObject(reply) || reply.args === undefined) return reply;
  return { ...reply, args: unmasked(reply.args, shown["args"], event.args) };
}

/** Returns the value with the original restored in every part that equals a masked one. */
function unmasked(given: unknown, shown: unknown, original: unknown): unknown {
  if (given === shown) return original;
  if (Array.isArray(given) && Array.isArray(shown) && Array.isArray(original)) {
    return given.map((item: unknown, index) => unmasked(item, shown[index], original[index]));
  }
  if (!isObject(given) || !isObject(shown) || !isObject(original)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, item]) => [name, unmasked(item, shown[name], original[name])]),
  );
}
