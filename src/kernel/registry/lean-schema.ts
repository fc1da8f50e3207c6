import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/**
 * A schema without what tells a model nothing: bounds of every integer, "not empty", switches that are off unless they
 * are set. What is enforced is the whole one, and a refusal says what it wants.
 */
export function leanSchema(schema: JsonObject): JsonObject {
  const lean: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isNoise(key, value)) lean[key] = leanValue(key, value);
  }
  return Object.freeze(lean);
}

function isNoise(key: string, value: JsonValue): boolean {
  switch (key) {
    case "maximum":
      return value === Number.MAX_SAFE_INTEGER;
    case "minimum":
      return value === Number.MIN_SAFE_INTEGER;
    case "minLength":
      return value === 1;
    case "default":
      return value === false;
    case "propertyNames":
      return isSchema(value) && Object.keys(value).length === 1 && value["type"] === "string";
    case "additionalProperties":
      return isSchema(value) && Object.keys(value).length === 0;
    default:
      return false;
  }
}

/** Below `properties` and the like stand names that somebody chose, not words of JSON Schema. */
function leanValue(key: string, value: JsonValue): JsonValue {
  if (named.has(key) && isSchema(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, isSchema(each) ? leanSchema(each) : each]),
    );
  }
  if (listed.has(key) && Array.isArray(value)) return value.map((each) => (isSchema(each) ? leanSchema(each) : each));
  return single.has(key) && isSchema(value) ? leanSchema(value) : value;
}

const named: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const listed: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const single: ReadonlySet<string> = new Set(["items", "additionalProperties", "not", "contains"]);

function isSchema(value: JsonValue): value is JsonObject {
  return isObject(value);
}
