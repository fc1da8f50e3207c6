import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { SettingRules } from "../slices/setting.ts";

/** Constraints of a value: the subset of JSON Schema that the slices use. Lengths count code points. */
export interface Rule {
  /** Undefined: any type. */
  readonly type?: "boolean" | "number" | "integer" | "string" | "array" | "object";
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Rule;
  /** The properties of an object. Keys that are not listed stay unchanged. */
  readonly properties?: Readonly<Record<string, Rule>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Rule | false;
  readonly rules?: SettingRules;
}

/** An invalid value and the reason. `path`: the entry of a list or object; empty: the value itself. */
export interface InvalidValue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Checks a value against its rule, with the same result as the zod schema of the rule. Copies lists. */
export function checkValue(rule: Rule, value: unknown): Result<unknown, InvalidValue> {
  if (rule.type === undefined) return ok(value);
  if (rule.type === "array") return checkList(rule, value);
  if (rule.type === "object") return checkObject(rule, value);
  const message = rule.enum === undefined ? plainMisfit(rule, value) : wordMisfit(rule.enum, value);
  return message === undefined ? ok(value) : err({ path: [], message });
}

function checkList(rule: Rule, value: unknown): Result<unknown, InvalidValue> {
  if (!Array.isArray(value)) return err({ path: [], message: "must be a list" });
  const { items, minItems = 0, maxItems = Infinity } = rule;
  const copy: unknown[] = [];
  // Iterates by index, because a missing entry counts as undefined.
  for (let index = 0; index < value.length; index++) {
    const entry: Result<unknown, InvalidValue> =
      items === undefined ? ok(value[index]) : checkValue(items, value[index]);
    if (!entry.ok) return err({ path: [index, ...entry.error.path], message: entry.error.message });
    copy.push(entry.value);
  }
  if (copy.length < minItems) return err({ path: [], message: `must have at least ${plural(minItems, "entry")}` });
  if (copy.length > maxItems) return err({ path: [], message: `must have at most ${plural(maxItems, "entry")}` });
  return ok(copy);
}

function checkObject({ properties = {}, required = [], additionalProperties }: Rule, value: unknown) {
  if (!isObject(value)) return err<InvalidValue>({ path: [], message: "must hold keys and values" });
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries({ ...listed(properties, value), ...value })) {
    if (key === "__proto__") continue;
    if (entry === undefined && !required.includes(key) && Object.hasOwn(properties, key)) continue;
    const below = (Object.hasOwn(properties, key) ? properties[key] : additionalProperties) || {};
    const checked = checkValue(below, entry);
    if (!checked.ok) return err<InvalidValue>({ path: [key, ...checked.error.path], message: checked.error.message });
    copy[key] = checked.value;
  }
  return ok(copy);
}

/** The listed keys come first, in the order of the rule. */
function listed(properties: Readonly<Record<string, Rule>>, value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.keys(properties).map((key) => [key, value[key]]));
}

function plainMisfit(rule: Rule, value: unknown): string | undefined {
  switch (rule.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "string":
      return typeof value === "string" ? textMisfit(rule, value) : "must be a text";
    case "integer":
      return Number.isInteger(value) ? numberMisfit(rule, Number(value)) : "must be a whole number";
    default:
      return Number.isFinite(value) ? numberMisfit(rule, Number(value)) : "must be a number";
  }
}

function wordMisfit(words: readonly string[], value: unknown): string | undefined {
  return typeof value === "string" && words.includes(value) ? undefined : `must be one of ${words.join(", ")}`;
}

function textMisfit({ minLength = 0, maxLength = Infinity, pattern, rules }: Rule, text: string): string | undefined {
  const length = lengthOf(text);
  if (length < minLength)
    return minLength === 1 ? "must not be empty" : `must have at least ${plural(minLength, "character")}`;
  if (length > maxLength) return `must have at most ${plural(maxLength, "character")}`;
  if (pattern === undefined || new RegExp(pattern, "u").test(text)) return undefined;
  return `must be ${rules?.expected ?? `like ${pattern}`}`;
}

function numberMisfit(rule: Rule, value: number): string | undefined {
  const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity, exclusiveMaximum = Infinity } = rule;
  if (value < minimum) return `must be at least ${minimum}`;
  if (value > maximum) return `must be at most ${maximum}`;
  if (value <= exclusiveMinimum) return `must be more than ${exclusiveMinimum}`;
  return value >= exclusiveMaximum ? `must be less than ${exclusiveMaximum}` : undefined;
}

/** Length in code points, without creating an array, because a text may be long. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
