import { isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { originalKeys } from "./keys/original-keys.ts";
import { sliceData, type SliceNode } from "./slice-data.ts";

/** JSON Schema of `config.yaml`, so that editors complete and check it. Keys of the original are known and left free. */
export function configJsonSchema(): JsonObject {
  const schema = [...originalKeys].reduce((whole, key) => withKey(whole, key.split(".")), plain(sliceData));
  return { ...schema, title: "Hermes config.yaml" };
}

/** With one key of the original, in the section or family it belongs to. */
function withKey(schema: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject {
  const free = { description: "A setting of Hermes that this version does not use." };
  const below = (child: JsonValue | undefined) => (isObject(child) && rest.length > 0 ? withKey(child, rest) : free);
  if (name === "*") return { ...schema, additionalProperties: below(schema["additionalProperties"]) };
  const properties = schema["properties"] as JsonObject | undefined;
  return { ...schema, properties: { ...properties, [name]: below(properties?.[name]) } };
}

/** A slice in the words of the standard alone. Nothing has to be there, and a switch may stand for a word. */
function plain(node: SliceNode): JsonObject {
  const { rules = {}, required: _, ...schema } = node;
  // The slices hold JSON. Below `properties` are names, below any other keyword is a schema.
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
