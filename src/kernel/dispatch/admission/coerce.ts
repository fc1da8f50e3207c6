import {
  isObject,
  type JsonArray,
  type JsonLimits,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../../../base/json.ts";
import { valueOr } from "../../../base/result.ts";
import type { JsonSchema } from "../../../contracts/tool/tool-definition.ts";

/**
 * Converts text in arguments to the type of the schema: `"5"` where a number is expected, `"[1]"` where a list is. The
 * word `null` becomes null where null is allowed. Values that are valid or cannot be converted stay unchanged; nothing
 * is added or checked. Never throws; a schema that is too complex leaves the arguments unchanged.
 */
export function coerceArguments(args: JsonObject, schema: JsonSchema): JsonObject {
  const walk: Walk = { root: schema, stepsLeft: maxSteps };
  const coerced = turn(args, schema, walk, 0);
  return walk.stepsLeft > 0 && isObject(coerced) ? coerced : args;
}

interface Walk {
  readonly root: JsonSchema;
  stepsLeft: number;
}

const maxSteps = 100_000;
const maxDepth = 64;
const textLimits: JsonLimits = { maxChars: 10_000_000, maxDepth };

function turn(value: JsonValue, schema: unknown, walk: Walk, depth: number): JsonValue {
  if (depth > maxDepth || walk.stepsLeft-- <= 0 || !isObject(schema)) return value;
  if (typeof schema.$ref === "string") value = turn(value, target(schema.$ref, walk.root), walk, depth + 1);
  value = turnByType(value, schema, walk, depth);
  if (Array.isArray(schema.allOf)) for (const part of schema.allOf) value = turn(value, part, walk, depth + 1);
  if (Array.isArray(schema.anyOf)) value = turnByBranch(value, schema.anyOf, walk, depth);
  if (Array.isArray(schema.oneOf)) value = turnByBranch(value, schema.oneOf, walk, depth);
  return value;
}

/**
 * Returns the value converted for the first branch that fits. A value that already matches a branch must not be
 * converted for another one.
 */
function turnByBranch(value: JsonValue, branches: readonly unknown[], walk: Walk, depth: number): JsonValue {
  if (value === "null" && fits(null, { anyOf: branches }, walk, depth) && !branches.some(namesNullWord)) return null;
  if (branches.some((branch) => fits(value, branch, walk, depth + 1))) return value;
  for (const branch of branches) {
    const turned = turn(value, branch, walk, depth + 1);
    if (turned !== value && fits(turned, branch, walk, depth + 1)) return turned;
  }
  return value;
}

function turnByType(value: JsonValue, schema: Record<string, unknown>, walk: Walk, depth: number): JsonValue {
  const types = typesOf(schema);
  if (value === "null" && types.includes("null") && !namesNullWord(schema)) return null;
  if (types.length === 0 || types.some((type) => isOfType(value, type))) return turnInside(value, schema, walk, depth);
  if (typeof value === "string") {
    for (const type of types) {
      const read = readAs(value, type);
      if (read !== undefined) return turnInside(read, schema, walk, depth);
    }
  }
  const isScalar = value !== null && typeof value !== "object";
  return isScalar && types.includes("array") ? turnInside([value], schema, walk, depth) : value;
}

/** Returns whether the schema lists the text `null` as a value, so that it must not be converted to null. */
function namesNullWord(schema: unknown): boolean {
  return isObject(schema) && (schema.const === "null" || (Array.isArray(schema.enum) && schema.enum.includes("null")));
}

function turnInside(value: JsonValue, schema: Record<string, unknown>, walk: Walk, depth: number): JsonValue {
  if (Array.isArray(value)) return turnItems(value, schema, walk, depth);
  return isObject(value) ? turnProperties(value, schema, walk, depth) : value;
}

function turnItems(list: JsonArray, schema: Record<string, unknown>, walk: Walk, depth: number): JsonArray {
  const turned = list.map((item, index) => turn(item, itemSchema(schema, index), walk, depth + 1));
  return turned.some((item, index) => item !== list[index]) ? turned : list;
}

function turnProperties(from: JsonObject, schema: Record<string, unknown>, walk: Walk, depth: number): JsonObject {
  let changed: Record<string, JsonValue> | undefined;
  for (const [key, item] of Object.entries(from)) {
    const turned = turn(item, propertySchema(schema, key), walk, depth + 1);
    if (turned === item) continue;
    changed ??= { ...from };
    changed[key] = turned;
  }
  return changed ?? from;
}

function readAs(text: string, type: unknown): JsonValue | undefined {
  switch (type) {
    case "integer":
    case "number":
      return readNumber(text, type);
    case "boolean":
      return /^true$/iu.test(text) ? true : /^false$/iu.test(text) ? false : undefined;
    case "null":
      return text === "null" ? null : undefined;
    case "array":
    case "object": {
      if (!/^\s*[[{]/u.test(text)) return undefined;
      const parsed = parseJson(text, textLimits);
      return parsed.ok && isOfType(parsed.value, type) ? parsed.value : undefined;
    }
    default:
      return undefined;
  }
}

/** A number that would lose digits stays text, so that the validator rejects it. */
function readNumber(text: string, type: "integer" | "number"): number | undefined {
  if (text.length > 400 || !/^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/iu.test(text)) return undefined;
  const read = Number(text);
  if (!Number.isFinite(read) || (Number.isInteger(read) && !Number.isSafeInteger(read))) return undefined;
  return type === "integer" && !Number.isInteger(read) ? undefined : read;
}

/**
 * Returns whether this value could be valid. Returns false only if it is certainly invalid, so that valid values never
 * change.
 */
function fits(value: JsonValue, schema: unknown, walk: Walk, depth: number): boolean {
  if (schema === false) return false;
  if (depth > maxDepth || walk.stepsLeft-- <= 0 || !isObject(schema)) return true;
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (typeof schema.$ref === "string" && !fits(value, target(schema.$ref, walk.root), walk, depth + 1)) return false;
  if ("const" in schema && isPrimitive(schema.const) && schema.const !== value) return false;
  if (Array.isArray(schema.enum) && isPrimitive(value) && !schema.enum.includes(value)) return false;
  for (const key of ["anyOf", "oneOf"] as const) {
    const branches = schema[key];
    if (Array.isArray(branches) && !branches.some((branch) => fits(value, branch, walk, depth + 1))) return false;
  }
  if (Array.isArray(schema.allOf) && !schema.allOf.every((part) => fits(value, part, walk, depth + 1))) return false;
  if (Array.isArray(value)) return value.every((item, index) => fits(item, itemSchema(schema, index), walk, depth + 1));
  if (!isObject(value)) return true;
  const entries = Object.entries(value);
  if (Array.isArray(schema.required) && schema.required.some((key) => !Object.hasOwn(value, String(key)))) return false;
  return entries.every(([key, item]) => fits(item, propertySchema(schema, key), walk, depth + 1));
}

function typesOf(schema: Record<string, unknown>): readonly unknown[] {
  const named = Array.isArray(schema.type) ? schema.type : typeof schema.type === "string" ? [schema.type] : [];
  return named.length > 0 && schema.nullable === true ? [...named, "null"] : named;
}

function isOfType(value: JsonValue, type: unknown): boolean {
  switch (type) {
    case "string":
    case "number":
    case "boolean":
      return typeof value === type;
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      // For an unknown type of JSON Schema, any value could be valid.
      return true;
  }
}

function isPrimitive(value: unknown): boolean {
  return value === null || typeof value !== "object";
}

function itemSchema(schema: Record<string, unknown>, index: number): unknown {
  const { items, prefixItems } = schema;
  if (Array.isArray(prefixItems) && index < prefixItems.length) return prefixItems[index];
  return Array.isArray(items) ? (items[index] ?? schema.additionalItems) : items;
}

function propertySchema(schema: Record<string, unknown>, key: string): unknown {
  const { properties, patternProperties, additionalProperties } = schema;
  if (isObject(properties) && Object.hasOwn(properties, key)) return properties[key];
  // The validator decides which pattern a key matches.
  return isObject(patternProperties) ? undefined : additionalProperties;
}

/** Resolves a local reference. The validator handles all other references. */
function target(ref: string, root: JsonSchema): unknown {
  if (!ref.startsWith("#")) return undefined;
  let node: unknown = root;
  for (const step of ref.slice(1).split("/").slice(1)) {
    const key = decode(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

function decode(step: string): string {
  return valueOr(() => decodeURIComponent(step), step);
}
