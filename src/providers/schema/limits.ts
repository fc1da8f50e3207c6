import { valueOr } from "../../base/result.ts";
import type { Shape, TypeName } from "./shape.ts";

const counts: readonly string[] = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const numbers: readonly string[] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"];

/** The limit keywords that this module merges. */
export const limitKeywords: readonly string[] = [
  ...counts,
  ...numbers,
  "multipleOf",
  "pattern",
  "format",
  "uniqueItems",
];

/** The limits that are valid for a type. */
export type Limits = (type: TypeName) => Shape["limits"];

/** Returns the tightest limits of all schemas. Ignores limits of the wrong type and contradictory pairs. */
export function mergeLimits(schemas: readonly Record<string, unknown>[]): Limits {
  const merged: Record<string, string | number | boolean> = {};
  for (const schema of schemas) {
    for (const [key, value] of Object.entries(modern(schema))) {
      const current = merged[key];
      if (current === undefined) merged[key] = value;
      else if (typeof current === "number" && typeof value === "number" && key !== "multipleOf") {
        merged[key] =
          key.startsWith("max") || key === "exclusiveMaximum" ? Math.min(current, value) : Math.max(current, value);
      }
    }
  }
  return (type) => pick(type, merged);
}

const ranges = [
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
  ["minimum", "maximum"],
  ["exclusiveMinimum", "exclusiveMaximum"],
  ["minimum", "exclusiveMaximum"],
  ["exclusiveMinimum", "maximum"],
] as const;
const keysOf: Readonly<Record<TypeName, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: [...numbers, "multipleOf", "format"],
  integer: [...numbers, "multipleOf", "format"],
  boolean: [],
  object: ["minProperties", "maxProperties"],
  array: ["minItems", "maxItems", "uniqueItems"],
};
const numberFormats = new Set(["int32", "int64", "uint32", "uint64", "float", "double"]);

/** Keeps values that the keyword allows. Converts the boolean `exclusiveMinimum` of draft 4 to a number. */
function modern(schema: Record<string, unknown>): Record<string, string | number | boolean> {
  const result: Record<string, string | number | boolean> = {};
  for (const key of counts) {
    const value = schema[key];
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) result[key] = value;
  }
  for (const key of numbers) {
    const value = schema[key];
    if (typeof value === "number" && Number.isFinite(value)) result[key] = value;
  }
  for (const [exclusive, inclusive] of [
    ["exclusiveMinimum", "minimum"],
    ["exclusiveMaximum", "maximum"],
  ] as const) {
    const bound = result[inclusive];
    if (schema[exclusive] !== true || bound === undefined) continue;
    result[exclusive] = bound;
    delete result[inclusive];
  }
  const { multipleOf, pattern, format, uniqueItems } = schema;
  if (typeof multipleOf === "number" && Number.isFinite(multipleOf) && multipleOf > 0)
    result["multipleOf"] = multipleOf;
  if (typeof pattern === "string" && isPattern(pattern)) result["pattern"] = pattern;
  if (typeof format === "string" && format !== "") result["format"] = format.toWellFormed();
  if (uniqueItems === true) result["uniqueItems"] = true;
  return result;
}

function pick(type: TypeName, merged: Record<string, string | number | boolean>): Shape["limits"] {
  const picked: Record<string, string | number | boolean> = {};
  for (const key of keysOf[type]) {
    const value = merged[key];
    if (value === undefined) continue;
    if (key === "format" && numberFormats.has(String(value)) !== (type !== "string")) continue;
    picked[key] = type === "integer" && typeof value === "number" ? wholeBound(key, value) : value;
  }
  return withoutEmptyRanges(picked);
}

export function withoutEmptyRanges<V>(limits: Readonly<Record<string, V>>): Record<string, V> {
  const kept = { ...limits };
  for (const [low, high] of ranges) {
    if (!(low in kept && high in kept) || Number(kept[low]) <= Number(kept[high])) continue;
    delete kept[low];
    delete kept[high];
  }
  return kept;
}

/** Rounds a limit to a whole number, for integers. */
function wholeBound(key: string, value: number): number {
  if (key === "minimum") return Math.ceil(value) + 0;
  if (key === "maximum") return Math.floor(value);
  if (key === "exclusiveMinimum") return Math.floor(value);
  return key === "exclusiveMaximum" ? Math.ceil(value) + 0 : value;
}

function isPattern(pattern: string): boolean {
  if (pattern.length > 4000 || !pattern.isWellFormed()) return false;
  return valueOr(() => new RegExp(pattern) instanceof RegExp, false);
}
