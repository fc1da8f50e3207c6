import { isObject, isReservedName, type JsonObject, type JsonValue } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";

/** One entry of a list in a registration. Every method throws a `WrongPart` for a value of the wrong type or size. */
export interface PartReader {
  text(field: string, rule?: TextRule): string;
  /** The text of a field; undefined if the field is missing. */
  textIfAny(field: string, rule?: TextRule): string | undefined;
  texts(field: string, rule?: TextRule): readonly string[];
  flag(field: string): boolean;
  flagIfAny(field: string): boolean | undefined;
  /** A number above 0; undefined if the field is missing. */
  countIfAny(field: string): number | undefined;
  object(field: string): JsonObject;
  /** The list of a field; empty if the field is missing. */
  list(field: string): readonly JsonValue[];
}

export interface TextRule {
  readonly maxChars?: number;
  readonly pattern?: RegExp;
  /** Describes the required pattern in words, for messages. */
  readonly form?: string;
  /** The value of a missing field. Without a fallback, the field is required. */
  readonly fallback?: string;
  /** Transforms the text before the checks. */
  readonly rewrite?: (text: string) => string;
}

export class WrongPart extends Error {}

const maxListItems = 500;
const defaultMaxChars = 1000;

export function partReader(part: JsonValue): PartReader {
  if (!isObject(part)) throw new WrongPart("it is not an object");
  // The cast is safe: the value is part of checked JSON.
  const fields = part;
  const own = (field: string): JsonValue | undefined => {
    const value = Object.hasOwn(fields, field) ? fields[field] : undefined;
    return value === null ? undefined : value;
  };

  function checkText(value: JsonValue, field: string, rule: TextRule): string {
    if (typeof value !== "string") throw new WrongPart(`${field} must be text`);
    const { maxChars = defaultMaxChars, pattern, form, rewrite = (same: string) => same } = rule;
    const text = rewrite(value);
    if (text.length > maxChars) throw new WrongPart(`${field} has ${text.length} characters; the limit is ${maxChars}`);
    if (pattern && !pattern.test(text)) {
      throw new WrongPart(`${field} ${JSON.stringify(oneLine(text, 80))} must be ${form ?? String(pattern)}`);
    }
    // A text with a required form is a name or an id.
    if (pattern && isReservedName(text)) {
      throw new WrongPart(`${field} ${text} is a reserved word of JavaScript; choose another name`);
    }
    return text;
  }

  const reader: PartReader = {
    text(field, rule = {}) {
      const value = own(field) ?? rule.fallback;
      if (value === undefined) throw new WrongPart(`${field} is missing`);
      return checkText(value, field, rule);
    },
    textIfAny: (field, rule = {}) => (own(field) === undefined ? undefined : reader.text(field, rule)),
    texts(field, rule = {}) {
      const value = own(field) ?? [];
      if (!isJsonList(value)) throw new WrongPart(`${field} must be a list`);
      if (value.length > maxListItems) throw new WrongPart(`${field} has more than ${maxListItems} entries`);
      return value.map((each) => checkText(each, field, rule));
    },
    flag: (field) => reader.flagIfAny(field) ?? false,
    flagIfAny(field) {
      const value = own(field);
      if (value !== undefined && typeof value !== "boolean") throw new WrongPart(`${field} must be true or false`);
      return value;
    },
    countIfAny(field) {
      const value = own(field);
      if (value === undefined) return undefined;
      if (typeof value !== "number" || !(value > 0)) throw new WrongPart(`${field} must be a number above 0`);
      return value;
    },
    object(field) {
      const value = own(field) ?? {};
      if (!isObject(value)) throw new WrongPart(`${field} must be an object`);
      return value;
    },
    list(field) {
      const value = own(field) ?? [];
      if (!isJsonList(value)) throw new WrongPart(`${field} must be a list`);
      return value;
    },
  };
  return reader;
}

/** A type guard, because `Array.isArray` does not narrow a read-only list. */
export function isJsonList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
