import { isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { originalKeys } from "./keys/original-keys.ts";
import { sliceData, type SliceNode } from "./slice-data.ts";

/**
 * JSON Schema of `config.yaml` for completion and checks in editors. Keys of the Python version are known and accept
 * any value.
 */
export function configJsonSchema(): JsonObject {
  const schema = [...originalKeys].reduce((whole, key) => withKey(whole, key.split(".")), plain(sliceData));
  return { ...schema, title: "Hermes config.yaml" };
}

/** Adds one key of the Python version to its section or family. */
function withKey(schema: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const free = { description: "A setting of Hermes that this version does not use." };
  const below = (child: JsonValue | undefined) => (isObject(child) && rest.length > 0 ? withKey(child, rest) : free);
  if (name === "*") return { ...schema, additionalProperties: below(schema["additionalProperties"]) };
  const properties = schema["properties"] as JsonObject | undefined;
  return { ...schema, properties: { ...properties, [name]: below(properties?.[name]) } };
}

/** Converts a slice to standard JSON Schema. No key is required, and a boolean may replace a word. */
function plain(node: SliceNode): JsonObject {
  const { rules = {}, required: _, ...schema } = node;
  // Slices contain only JSON. Below `properties` are names, below other keywords schemas.
  const own = mapValues(schema, (value, keyword) => {
    if (!isSlice(value)) return value as JsonValue;
    return keyword === "properties" ? mapValues(value, (child) => plain(child as SliceNode)) : plain(value);
  });
  if (rules.shorthand !== undefined) return { ...own, type: ["object", "boolean", "string"] };
  if (rules.words === undefined) return own;
  const switches = [true, false].filter((value) => rules.words?.[`${value}`] !== undefined);
  return { ...own, type: ["string", "boolean"], enum: [...(schema.enum ?? []), ...switches] };
}

function mapValues(object: object, map: (value: unknown, key: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));
}

function isSlice(value: unknown): value is SliceNode {
  return isObject(value);
}
