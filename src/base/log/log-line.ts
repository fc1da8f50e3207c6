import { reasonOf } from "../result.ts";
import { cut } from "../text/text.ts";
import type { LogLevel } from "./log.ts";

/**
 * One log line as JSON text with its line end. Fields may hold anything: values without a JSON form are described,
 * large ones are cut, strings and keys pass `redact`. Never throws.
 */
export function logLine(
  head: { readonly at: number; readonly level: LogLevel; readonly event: string },
  fields: Readonly<Record<string, unknown>>,
  redact: (text: string) => string,
): string {
  const first = {
    at: new Date(head.at).toISOString(),
    level: head.level,
    event: cut(redact(head.event), maxNameChars),
  };
  const described = describe(fields, redact);
  const line: Record<string, unknown> = Object.assign(Object.create(null), first);
  for (const [key, value] of Object.entries(described)) line[Object.hasOwn(first, key) ? `fields.${key}` : key] = value;
  const text = JSON.stringify(line);
  if (text.length <= maxLineChars) return `${text}\n`;
  // If there are too many medium-sized fields, only their names are logged.
  return `${JSON.stringify({ ...first, chars: text.length, cut: Object.keys(described) })}\n`;
}

const maxLineChars = 32_000;
const maxTextChars = 8_000;
const maxNameChars = 200;
/** Longer texts are replaced by their length: cutting them before redaction could reveal half a secret. */
const maxReadChars = 100_000;
const maxItems = 50;
const maxDepth = 6;

function describe(fields: Readonly<Record<string, unknown>>, redact: (text: string) => string): object {
  const path: object[] = [];

  function tell(value: unknown): unknown {
    switch (typeof value) {
      case "string":
        return tellText(value);
      case "number": {
        const shown = String(value);
        return Number.isFinite(value) && redact(shown) === shown ? value : redact(shown);
      }
      case "boolean":
      case "undefined":
        return value;
      case "bigint":
      case "symbol":
        return tellText(String(value));
      case "function":
        return "[function]";
      case "object":
        return value === null ? null : tellObject(value);
    }
  }

  function tellText(text: string): string {
    if (text.length > maxReadChars) return `[${text.length} characters]`;
    const shown = redact(text);
    return shown.length <= maxTextChars ? shown : `${cut(shown, maxTextChars)}… [${shown.length - maxTextChars} more]`;
  }

  /** Some values are secret because of their field name. */
  function tellNamed(key: string, value: unknown): unknown {
    if (typeof value !== "string" || value.length > maxNameChars) return tell(value);
    const assigned = `${key}=${value}`;
    return redact(assigned) === assigned || redact(key) !== key || redact(value) !== value ? tell(value) : "***";
  }

  function tellObject(value: object): unknown {
    if (path.includes(value)) return "[circular]";
    if (path.length >= maxDepth) return "[deep]";
    path.push(value);
    try {
      return tellParts(value);
    } catch (thrown) {
      return `[unreadable: ${tellText(reasonOf(thrown))}]`;
    } finally {
      path.pop();
    }
  }

  function tellParts(value: object): unknown {
    if (Array.isArray(value)) {
      const items = value.slice(0, maxItems).map(tell);
      return value.length > maxItems ? [...items, `[${value.length - maxItems} more]`] : items;
    }
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Error) {
      const { name, message, stack, cause } = value;
      return tellEntries(Object.assign({ name, message }, value, { stack, cause }));
    }
    if (value instanceof Map || value instanceof Set) return tell([...value]);
    if ("toJSON" in value && typeof value.toJSON === "function") return tell(value.toJSON());
    return tellEntries(value);
  }

  function tellEntries(value: object): object {
    // The object has no prototype, so that `__proto__` is an ordinary key.
    const described: Record<string, unknown> = Object.create(null);
    const keys = Object.keys(value);
    for (const key of keys.slice(0, maxItems))
      described[cut(tellText(key), maxNameChars)] = tellNamed(key, value[key as keyof typeof value]);
    if (keys.length > maxItems) described["…"] = `${keys.length - maxItems} more`;
    return described;
  }

  const described = tell(fields);
  return typeof described === "object" && described !== null ? described : { fields: described };
}
