import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/**
 * A fast path for simple schemas that providers with the standard rules (OpenAI, Anthropic) accept nearly unchanged.
 * Returns the same output as the normaliser, or undefined for any other schema. With it, the first request does not
 * need the normaliser, which takes milliseconds per tool.
 */
export function plainSchema(schema: unknown): JsonObject | undefined {
  let left = maxNodes;
  return isObject(schema) && schema["type"] === "object" ? rewritten(schema, 0) : undefined;

  function rewritten(node: unknown, depth: number): JsonObject | undefined {
    if (!isObject(node) || depth > 6 || left-- <= 0) return undefined;
    if (isRecord(node)) return { type: "object", additionalProperties: true, properties: {} };
    if (!hasPlainValues(node)) return undefined;
    // Safe cast: the check above ensures plain JSON.
    const plain = node as JsonObject;
    if (node["anyOf"] !== undefined) return withList(plain, node["anyOf"], depth);
    if (node["type"] === "array") {
      const items = rewritten(node["items"], depth + 1);
      return items && { ...plain, items };
    }
    if (node["type"] !== "object") return plain;
    const properties = fields(node["properties"], depth);
    const { required } = node;
    if (!properties || (required !== undefined && !isListOf(required, (name) => Object.hasOwn(properties, name))))
      return undefined;
    return { ...plain, properties };
  }

  function fields(properties: unknown, depth: number): JsonObject | undefined {
    if (!isObject(properties)) return undefined;
    const written: [string, JsonValue][] = [];
    for (const [name, node] of Object.entries(properties)) {
      const property = plainName.test(name) && name !== "__proto__" ? rewritten(node, depth + 1) : undefined;
      if (!property) return undefined;
      written.push([name, property]);
    }
    return Object.fromEntries(written);
  }

  /** A union of types that are easy to tell apart. */
  function withList(node: JsonObject, list: unknown, depth: number): JsonObject | undefined {
    if (!Array.isArray(list)) return undefined;
    const anyOf = list.map((one) => rewritten(one, depth + 1)).filter((one) => one !== undefined);
    const types = new Set(anyOf.map(({ type }) => type));
    const apart = types.size === list.length && !types.has(undefined) && !(types.has("integer") && types.has("number"));
    return apart && list.length > 1 ? { ...node, anyOf } : undefined;
  }
}

const maxNodes = 200;
const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/u;

/** An object with any content, as zod writes it. */
function isRecord(node: Record<string, unknown>): boolean {
  const { type, propertyNames, additionalProperties, ...more } = node;
  if (type !== "object" || !isObject(propertyNames) || !isObject(additionalProperties)) return false;
  const names = Object.entries(propertyNames);
  const anyName = names.length === 1 && propertyNames["type"] === "string";
  return anyName && Object.keys(additionalProperties).length === 0 && Object.keys(more).length === 0;
}

type Check = (value: unknown) => boolean;
const text: Check = (value) => typeof value === "string" && value.length <= 4000 && value.isWellFormed();
const count: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const bound: Check = (value) => Number.isSafeInteger(value);
const empty: Check = (value) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
const checkedLater: Check = () => true;

/** Keywords of each type and their valid values. */
const keywords: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  string: {
    description: text,
    default: text,
    minLength: count,
    maxLength: count,
    enum: (value) => isListOf(value, text) && (value as unknown[]).length <= 100,
  },
  integer: { description: text, default: bound, minimum: bound, maximum: bound, exclusiveMinimum: bound },
  number: { description: text, default: bound, minimum: bound, maximum: bound, exclusiveMinimum: bound },
  boolean: { description: text, default: (value) => typeof value === "boolean" },
  array: {
    description: text,
    default: (value) => Array.isArray(value) && empty(value),
    items: checkedLater,
    minItems: count,
    maxItems: count,
  },
  object: {
    description: text,
    properties: checkedLater,
    required: checkedLater,
    additionalProperties: (value) => value === false,
  },
};
const unionKeywords: Readonly<Record<string, Check>> = { description: text, default: empty, anyOf: checkedLater };

function hasPlainValues(node: Record<string, unknown>): boolean {
  const { type } = node;
  const typed = typeof type === "string" && Object.hasOwn(keywords, type) ? keywords[type] : undefined;
  const allowed = type === undefined && node["anyOf"] !== undefined ? unionKeywords : typed;
  if (allowed === undefined) return false;
  const fits = Object.entries(node).every(([key, value]) => {
    return key === "type" || (Object.hasOwn(allowed, key) && allowed[key]?.(value) === true);
  });
  if (!fits || (node["exclusiveMinimum"] !== undefined && node["minimum"] !== undefined)) return false;
  return ranges.every(([low, high]) => {
    return node[low] === undefined || node[high] === undefined || Number(node[low]) <= Number(node[high]);
  });
}

const ranges = [
  ["minimum", "maximum"],
  ["exclusiveMinimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
] as const;

function isListOf(value: unknown, fits: (item: string) => boolean): boolean {
  if (!Array.isArray(value) || value.length === 0 || new Set(value).size !== value.length) return false;
  return value.every((item) => typeof item === "string" && fits(item));
}
