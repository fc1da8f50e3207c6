import { canonicalJson, isObject, type JsonObject, type JsonValue } from "../../base/json.ts";

/**
 * Whether everything that `after` accepts was also accepted by `before`, with the same descriptions. The comparison
 * goes keyword by keyword, so it may return false for a narrower schema that is written differently.
 */
export function isNarrower(before: JsonValue, after: JsonValue): boolean {
  if (!isObject(before) || !isObject(after)) return isSame(before, after) || (before === true && after === false);
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].every((key) => keepsPromise(key, before, after));
}

function keepsPromise(key: string, old: JsonObject, now: JsonObject): boolean {
  const [before, after] = [old[key], now[key]];
  if (before !== undefined && after !== undefined && isSame(before, after)) return true;
  switch (key) {
    case "properties":
      return narrowsProperties(before, after, now);
    case "required":
      return holdsAll(after ?? [], before ?? []);
    case "enum":
      return after !== undefined && (before === undefined || holdsAll(before, after));
    case "const":
      return before === undefined && (old["enum"] === undefined || holdsAll(old["enum"], [after ?? null]));
    case "type":
      return after !== undefined && (before === undefined || holdsAll(listOf(before), listOf(after)));
    case "items":
    case "additionalProperties":
      return after !== undefined && isNarrower(before ?? true, after);
    case "minimum":
    case "exclusiveMinimum":
    case "minLength":
    case "minItems":
    case "minProperties":
      return typeof after === "number" && (before === undefined || (typeof before === "number" && after >= before));
    case "maximum":
    case "exclusiveMaximum":
    case "maxLength":
    case "maxItems":
    case "maxProperties":
      return typeof after === "number" && (before === undefined || (typeof before === "number" && after <= before));
    case "uniqueItems":
      return after === true;
    case "pattern":
    case "format":
      return before === undefined;
    default:
      return false;
  }
}

/**
 * A property may be removed only if additional properties are refused; a new one may be added only if it was accepted
 * before and has no description.
 */
function narrowsProperties(before: JsonValue | undefined, after: JsonValue | undefined, now: JsonObject): boolean {
  if (!isObject(before) || !isObject(after)) return false;
  return (
    Object.entries(after).every(
      ([name, schema]) => Object.hasOwn(before, name) && isNarrower(before[name] ?? true, schema),
    ) && Object.keys(before).every((name) => Object.hasOwn(after, name) || now["additionalProperties"] === false)
  );
}

function holdsAll(all: JsonValue, some: JsonValue): boolean {
  if (!Array.isArray(all) || !Array.isArray(some)) return false;
  const texts = new Set(all.map(canonicalJson));
  return some.every((each: JsonValue) => texts.has(canonicalJson(each)));
}

function listOf(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value : [value];
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
