import type { JsonObject, JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** A form that asks the user for several values. All of its texts are untrusted. */
export interface Form {
  /** The sender of the form, such as `the MCP server github`. */
  readonly from: string;
  readonly text: string;
  /** A URL that the user should visit. Hosts show it and never open it. A form with a URL has no fields. */
  readonly address?: string;
  readonly fields: readonly FormField[];
}

export type FormField = TextField | NumberField | YesNoField | ChoiceField;

interface FieldFacts {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly isRequired: boolean;
}

export interface TextField extends FieldFacts {
  readonly kind: "text";
  readonly format?: TextFormat;
  readonly minChars?: number;
  readonly maxChars?: number;
  readonly default?: string;
}

export type TextFormat = "email" | "uri" | "date" | "date-time";

export interface NumberField extends FieldFacts {
  readonly kind: "number";
  readonly isWhole: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly default?: number;
}

export interface YesNoField extends FieldFacts {
  readonly kind: "yes_no";
  readonly default?: boolean;
}

/** A choice field. The value is one text, or a list of texts if several choices are allowed. */
export interface ChoiceField extends FieldFacts {
  readonly kind: "choice";
  readonly choices: readonly { readonly value: string; readonly title: string }[];
  readonly hasSeveral: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly default?: string | readonly string[];
}

/**
 * Returns why the values do not fit the form: an unknown name, a missing value, or a value that its field does not
 * accept.
 */
export function formFault({ fields }: Pick<Form, "fields">, values: JsonObject): string | undefined {
  const unknown = Object.keys(values).find((name) => !fields.some((field) => field.name === name));
  if (unknown !== undefined) return `there is no field ${unknown}`;
  for (const field of fields) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined;
    const fault = value === undefined ? field.isRequired && "a value is needed" : fieldFault(field, value);
    if (fault) return `${field.name}: ${fault}`;
  }
  return undefined;
}

/** Returns why the field does not accept the value, as a phrase for the user. */
export function fieldFault(field: FormField, value: JsonValue): string | undefined {
  switch (field.kind) {
    case "text": {
      if (typeof value !== "string") return "it must be a text";
      const { minChars = 0, maxChars = Infinity, format } = field;
      if (value.length < minChars) return `it needs at least ${minChars} characters`;
      if (value.length > maxChars) return `it may have at most ${maxChars} characters`;
      return format === undefined || formats[format].test(value) ? undefined : `it must be ${formats[format].example}`;
    }
    case "number": {
      if (typeof value !== "number" || !Number.isFinite(value)) return "it must be a number";
      const { min = -Infinity, max = Infinity } = field;
      if (field.isWhole && !Number.isSafeInteger(value)) return "it must be a whole number";
      if (value < min) return `it must be at least ${min}`;
      return value > max ? `it must be at most ${max}` : undefined;
    }
    case "yes_no":
      return typeof value === "boolean" ? undefined : "it must be yes or no";
    case "choice":
      return choiceFault(field, value);
  }
}

function choiceFault({ choices, hasSeveral, min = 0, max = Infinity }: ChoiceField, value: JsonValue) {
  const isChoice = (each: JsonValue) => choices.some((choice) => choice.value === each);
  if (!hasSeveral) return isChoice(value) ? undefined : "it must be one of the choices";
  if (!Array.isArray(value) || !value.every(isChoice) || new Set(value).size < value.length)
    return "each must be one of the choices, and none twice";
  if (value.length < min) return `choose at least ${min}`;
  return value.length > max ? `choose at most ${max}` : undefined;
}

/** Parses the value of a field as the user typed it. A choice can be typed as its number, value or title. */
export function typedValue(field: FormField, text: string): Result<JsonValue, string> {
  const value = valueOf(field, text.trim());
  const fault = fieldFault(field, value);
  return fault === undefined ? ok(value) : err(fault);
}

function valueOf(field: FormField, text: string): JsonValue {
  switch (field.kind) {
    case "text":
      return text;
    case "number":
      return text === "" ? text : Number(text);
    case "yes_no":
      return /^(?:y|yes|true)$/iu.test(text) ? true : /^(?:n|no|false)$/iu.test(text) ? false : text;
    case "choice": {
      const one = (word: string) => chosenValue(field, word.trim()) ?? word;
      if (!field.hasSeveral) return one(text);
      // A title may contain a comma, so the whole text is compared first.
      const whole = chosenValue(field, text);
      return whole === undefined ? text.split(",").map(one) : [whole];
    }
  }
}

function chosenValue({ choices }: ChoiceField, word: string): string | undefined {
  const isNamed = (named: string) => named.toLowerCase() === word.toLowerCase();
  const choice =
    choices.find(({ value }) => value === word) ??
    choices.find(({ value, title }) => isNamed(value) || isNamed(title)) ??
    (/^\d+$/u.test(word) ? choices[Number(word) - 1] : undefined);
  return choice?.value;
}

const formats: Readonly<Record<TextFormat, { readonly example: string; test(text: string): boolean }>> = {
  email: {
    example: "an address such as anna@example.org",
    test: (text) => text.length <= 254 && /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/u.test(text),
  },
  uri: { example: "an address such as https://example.org", test: (text) => URL.canParse(text) },
  date: { example: "a date such as 2026-05-31", test: isDate },
  "date-time": {
    example: "a time such as 2026-05-31T17:30:00Z",
    test: (text) =>
      /^[^T]{10}T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/iu.test(text) &&
      isDate(text.slice(0, 10)) &&
      Number.isFinite(Date.parse(text)),
  },
};

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/u.test(text)) return false;
  const parsed = Date.parse(`${text}T00:00:00Z`);
  // February 30 would become March 2.
  return Number.isFinite(parsed) && new Date(parsed).toISOString().startsWith(text);
}
