import { isObject } from "../../base/json.ts";
import { readLiteral } from "./annotations.ts";
import { limitKeywords, mergeLimits, type Limits } from "./limits.ts";
import type { Shape, TypeName } from "./shape.ts";

/** The constraint keywords that this module merges. */
export const constraintKeywords: ReadonlySet<string> = new Set([
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  "items",
  "prefixItems",
  "additionalItems",
  ...limitKeywords,
]);

export interface Shapes {
  readonly options: readonly Shape[] | undefined;
  readonly nullable: boolean;
  /** True if the types contradict each other. Then `options` follow the first type. */
  readonly never: boolean;
}

/**
 * Returns all shapes that satisfy every schema. Contradictory constraints are relaxed, so that the result can be
 * satisfied.
 */
export function shapesOf(schemas: readonly Record<string, unknown>[], order: readonly string[]): Shapes {
  const { types, never } = mergeTypes(schemas);
  const limits = mergeLimits(schemas);
  const literals = mergeValues(schemas);
  const fitting = literals?.filter((value) => types === undefined || fits(value, types));
  const values = fitting !== undefined && fitting.length > 0 ? fitting : undefined;
  const typesToShape = types ?? (values === undefined ? hinted(schemas) : new Set(values.map(typeOf)));
  if (typesToShape === undefined) return { options: undefined, nullable: true, never };
  const nullable = types === undefined ? (values?.includes(null) ?? false) : types.has("null");
  const names = [...typesToShape].filter(
    (type) => type !== "null" && !(type === "integer" && typesToShape.has("number")),
  );
  const options = names.flatMap((type) => {
    const own = values?.filter((value) => value !== null && fits(value, new Set([type])));
    // A type without listed values is not an option, unless no listed value is usable.
    if (own !== undefined && own.length === 0) return [];
    return [shape(type as TypeName, own as Shape["values"], schemas, limits, order)];
  });
  return { options, nullable, never };
}

type AnyType = TypeName | "null";

function shape(
  type: TypeName,
  values: Shape["values"],
  schemas: readonly Record<string, unknown>[],
  limits: Limits,
  order: readonly string[],
): Shape {
  const plain: Shape = {
    type,
    annotations: {},
    limits: limits(type),
    values,
    properties: new Map(),
    required: [],
    rest: undefined,
    items: undefined,
    legend: undefined,
    order,
  };
  if (type === "object") return { ...plain, ...objectParts(schemas) };
  if (type === "array") return arrayShape(plain, schemas);
  return plain;
}

function objectParts(schemas: readonly Record<string, unknown>[]): Pick<Shape, "properties" | "required" | "rest"> {
  const properties = new Map<string, unknown[]>();
  const required = new Set<string>();
  let rest: unknown[] | false | undefined;
  for (const schema of schemas) {
    if (isObject(schema["properties"])) {
      for (const [name, part] of Object.entries(schema["properties"])) {
        const parts = properties.get(name);
        if (parts === undefined) properties.set(name, [part]);
        else if (!parts.includes(part)) parts.push(part);
        // In draft 3, `required` is part of the property itself.
        if (isObject(part) && part["required"] === true) required.add(name);
      }
    }
    if (Array.isArray(schema["required"])) {
      for (const name of schema["required"]) if (typeof name === "string") required.add(name);
    }
    const further = furtherProperties(schema);
    if (further === false || rest === false) rest = false;
    else if (further !== undefined) rest = [...(rest ?? []), further];
  }
  return { properties, required: [...required].filter((name) => properties.has(name)), rest };
}

/** Returns the schema of additional properties, or undefined if it is unspecified. */
function furtherProperties(schema: Record<string, unknown>): unknown {
  const patterns = Object.entries(isObject(schema["patternProperties"]) ? schema["patternProperties"] : {});
  const conditional = "if" in schema || "dependentSchemas" in schema;
  const declared = schema["additionalProperties"] ?? (conditional ? undefined : schema["unevaluatedProperties"]);
  if (patterns.length === 0) return declared;
  const parts = patterns.map(([, part]) => part);
  if (declared === false) return { anyOf: parts };
  if (declared === undefined)
    return patterns.some(([pattern]) => matchesAll.has(pattern)) ? { anyOf: parts } : undefined;
  return { anyOf: [declared, ...parts] };
}

const matchesAll = new Set(["", ".*", ".+", "^.*$", "^.+$", "^(.*)$", "^(.+)$", "^[\\s\\S]*$"]);

/** A tuple is converted to an array of any of its members. Without a rule for further items, its length is limited. */
function arrayShape(plain: Shape, schemas: readonly Record<string, unknown>[]): Shape {
  const items: unknown[] = [];
  let maxLength = Number.POSITIVE_INFINITY;
  for (const schema of schemas) {
    const listed = Array.isArray(schema["items"]) ? schema["items"] : undefined;
    const tuple = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : listed;
    const rest = listed === undefined ? schema["items"] : schema["additionalItems"];
    if (tuple === undefined) {
      if (rest === false) maxLength = 0;
      else if (rest !== undefined) items.push(rest);
      continue;
    }
    if (rest === false) maxLength = Math.min(maxLength, tuple.length);
    const members = rest === undefined || rest === false ? tuple : [...tuple, rest];
    if (members.length > 0) items.push({ anyOf: members });
  }
  const maxItems = Math.min(maxLength, Number(plain.limits["maxItems"] ?? Number.POSITIVE_INFINITY));
  const limits = { ...plain.limits, ...(Number.isFinite(maxItems) ? { maxItems } : {}) };
  return { ...plain, limits, items: items.length > 0 ? items : undefined };
}

function mergeTypes(schemas: readonly Record<string, unknown>[]): { types: Set<AnyType> | undefined; never: boolean } {
  let types: Set<AnyType> | undefined;
  let never = false;
  for (const schema of schemas) {
    const declared = typesOf(schema["type"]);
    if (declared === undefined) continue;
    const both: AnyType[] = types === undefined ? [...declared] : [...types].flatMap((type) => narrow(type, declared));
    if (both.length === 0) never = true;
    else types = new Set(both);
  }
  return { types, never };
}

function narrow(type: AnyType, allowed: ReadonlySet<AnyType>): AnyType[] {
  if (allowed.has(type)) return [type];
  if (type === "number" && allowed.has("integer")) return ["integer"];
  return type === "integer" && allowed.has("number") ? ["integer"] : [];
}

function typesOf(type: unknown): ReadonlySet<AnyType> | undefined {
  const names = (Array.isArray(type) ? type : [type]).flatMap((name) =>
    typeof name === "string" ? (typeNames.get(name.toLowerCase()) ?? []) : [],
  );
  return names.length === 0 ? undefined : new Set(names);
}

/** The types of JSON Schema, and common misspellings. */
const typeNames: ReadonlyMap<string, AnyType> = new Map([
  ...(["string", "number", "integer", "boolean", "object", "array", "null"] as const).map(
    (name) => [name, name] as const,
  ),
  ...(["str", "text", "date", "datetime", "uri", "file"] as const).map((name) => [name, "string"] as const),
  ...(["int", "long"] as const).map((name) => [name, "integer"] as const),
  ...(["float", "double", "decimal"] as const).map((name) => [name, "number"] as const),
  ["bool", "boolean"],
  ["dict", "object"],
  ["map", "object"],
  ["list", "array"],
  ["none", "null"],
]);

/** Returns the values that every `enum` and `const` allows. An empty or contradictory list is ignored. */
function mergeValues(schemas: readonly Record<string, unknown>[]): readonly Literal[] | undefined {
  let merged: Map<string, Literal> | undefined;
  for (const schema of schemas) {
    const lists = [schema["enum"], schema["const"] === undefined ? undefined : [schema["const"]]];
    for (const list of lists) {
      if (!Array.isArray(list)) continue;
      const listed = list.map(readLiteral).filter((value) => value !== undefined);
      const byText: Map<string, Literal> = new Map(listed.map((value) => [JSON.stringify(value), value]));
      const both = merged === undefined ? byText : new Map([...merged].filter(([key]) => byText.has(key)));
      if (both.size > 0) merged = both;
    }
  }
  return merged === undefined ? undefined : [...merged.values()];
}

type Literal = string | number | boolean | null | object;

function typeOf(value: Literal): AnyType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "boolean";
    case "number":
      return Number.isInteger(value) ? "integer" : "number";
    default:
      return "object";
  }
}

function fits(value: Literal, types: ReadonlySet<AnyType>): boolean {
  const type = typeOf(value);
  return types.has(type) || (type === "integer" && types.has("number"));
}

/** Returns the types that the keywords imply, for a schema without `type`. */
function hinted(schemas: readonly Record<string, unknown>[]): ReadonlySet<AnyType> | undefined {
  const matches = [...hints].flatMap(([type, keys]) =>
    schemas.some((schema) => keys.some((key) => schema[key] !== undefined)) ? [type] : [],
  );
  return matches.length === 0 ? undefined : new Set(matches);
}

const hints: ReadonlyMap<AnyType, readonly string[]> = new Map([
  ["object", ["properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties"]],
  ["array", ["items", "prefixItems", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["minLength", "maxLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
]);
