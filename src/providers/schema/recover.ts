import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { JsonSchema } from "../../contracts/tool/tool.ts";

/** For a provider that turned a schema down over a `pattern` or `format`. Properties of those names stay. */
export function withoutPatternAndFormat(schema: JsonSchema): JsonSchema {
  return withoutKeywords(schema, (key, value) => (key === "pattern" || key === "format") && typeof value === "string");
}

/** For a provider whose grammar fails on a listed value with a slash in it. The whole list goes: a part would be a lie. */
export function withoutSlashEnums(schema: JsonSchema): JsonSchema {
  return withoutKeywords(
    schema,
    (key, value) =>
      key === "enum" && Array.isArray(value) && value.some((one) => typeof one === "string" && one.includes("/")),
  );
}

type Matches = (key: string, value: JsonValue) => boolean;

function withoutKeywords(schema: JsonObject, matches: Matches): JsonObject {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (matches(key, value)) return [];
    if (byName.has(key) && isObject(value)) {
      const inner = Object.entries(value).map(([name, part]) => [name, inside(part, matches)]);
      return [[key, Object.fromEntries(inner)]];
    }
    if (Array.isArray(value) && lists.has(key)) return [[key, value.map((part: JsonValue) => inside(part, matches))]];
    return [[key, nested.has(key) ? inside(value, matches) : value]];
  });
  return Object.fromEntries(entries);
}

/** Where schemas stand in a schema; what is elsewhere (`default`, `enum`) is data. */
const byName = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const lists = new Set(["anyOf", "oneOf", "allOf", "prefixItems", "items"]);
const nested = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"]);

function inside(part: unknown, matches: Matches): JsonValue {
  // Taken from a JSON schema, so it is JSON.
  return isObject(part) ? withoutKeywords(part as JsonObject, matches) : (part as JsonValue);
}
