import type { JsonObject, JsonValue } from "../../base/json.ts";
import { annotationNames, type Annotations } from "./annotations.ts";
import { withoutEmptyRanges } from "./limits.ts";
import type { ProviderRules } from "./provider-rules.ts";
import type { Shape } from "./shape.ts";

/** Writes `enum` and the limits of a shape, as far as the provider accepts them. */
export function writeLiterals(shape: Shape, rules: ProviderRules): Record<string, JsonValue> {
  const written: Record<string, JsonValue> = {};
  const values = listed(shape, rules);
  if (values !== undefined) written["enum"] = values;
  for (const [key, value] of Object.entries(inclusive(shape, rules))) {
    if (rules.keywords.has(key) && allowed(key, value, shape, rules, values)) written[key] = value;
  }
  return written;
}

/** Returns the annotations that the provider accepts. Next to a reference these are only texts. */
export function writeAnnotations(annotations: Annotations, rules: ProviderRules, isReference: boolean): JsonObject {
  const written: Record<string, JsonValue> = {};
  for (const name of annotationNames) {
    const value = annotations[name];
    if (value === undefined || !rules.keywords.has(name)) continue;
    if (isReference && name !== "title" && name !== "description") continue;
    if (name === "default" && rules.literals === "not null" && value === null) continue;
    if (rules.literals === "scalar" && typeof value === "object" && value !== null) continue;
    written[name] = value;
  }
  return written;
}

/** Sorts the keys as in the source schema; new keys come last. */
export function sortKeysLike(json: JsonObject, order: readonly string[]): JsonObject {
  const rank = (key: string): number => {
    const position = [key, ...(origins.get(key) ?? [])].map((name) => order.indexOf(name)).find((index) => index >= 0);
    return position ?? order.length;
  };
  return Object.fromEntries(Object.entries(json).toSorted(([one], [other]) => rank(one) - rank(other)));
}

/** Keywords, each with the source keywords that it replaces. */
const origins: ReadonlyMap<string, readonly string[]> = new Map([
  ["anyOf", ["oneOf", "type", "enum"]],
  ["enum", ["const", "anyOf", "oneOf"]],
  ["items", ["prefixItems"]],
  ["type", ["anyOf", "oneOf"]],
]);

function listed(shape: Shape, rules: ProviderRules): JsonValue[] | undefined {
  if (shape.values === undefined || !rules.enumTypes.has(shape.type)) return undefined;
  if (shape.values.length > rules.enumMax) return undefined;
  if (!rules.enumSlash && shape.values.some((value) => typeof value === "string" && value.includes("/")))
    return undefined;
  if (rules.plainBounds && shape.values.some((value) => typeof value === "number" && !isPlain(value))) return undefined;
  // Safe cast: the value was checked to be JSON when it was read.
  const values = shape.values.filter((value) => rules.enumEmptyText || value !== "") as JsonValue[];
  return values.length === 0 ? undefined : values;
}

function inclusive(shape: Shape, rules: ProviderRules): Record<string, string | number | boolean> {
  const limits: Record<string, string | number | boolean> = { ...shape.limits };
  const { exclusiveMinimum: above, exclusiveMaximum: below } = limits;
  const step = shape.type === "integer" ? 1 : 0;
  if (typeof above === "number" && !rules.keywords.has("exclusiveMinimum")) {
    limits["minimum"] = Math.max(above + step, Number(limits["minimum"] ?? Number.NEGATIVE_INFINITY));
  }
  if (typeof below === "number" && !rules.keywords.has("exclusiveMaximum")) {
    limits["maximum"] = Math.min(below - step, Number(limits["maximum"] ?? Number.POSITIVE_INFINITY));
  }
  const numbers = shape.values?.filter((value) => typeof value === "number") ?? [];
  if (numbers.length > 0 && !rules.enumTypes.has(shape.type)) {
    limits["minimum"] = numbers.reduce((low, value) => Math.min(low, value));
    limits["maximum"] = numbers.reduce((high, value) => Math.max(high, value));
  }
  return withoutEmptyRanges(limits);
}

function allowed(
  key: string,
  value: string | number | boolean,
  shape: Shape,
  rules: ProviderRules,
  values: readonly JsonValue[] | undefined,
): boolean {
  if (key === "format") {
    if (value === "enum" && rules.formats !== undefined && values === undefined) return false;
    return rules.formats === undefined || (rules.formats[shape.type]?.includes(String(value)) ?? false);
  }
  if (typeof value !== "number") return true;
  if (/^(?:min|max)(?:Items|Length|Properties)$/.test(key)) return value <= rules.maxRepeat;
  return !rules.plainBounds || (isPlain(value) && (shape.type !== "integer" || Number.isSafeInteger(value)));
}

function isPlain(value: number): boolean {
  return !String(value).includes("e");
}
