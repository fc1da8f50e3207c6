import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { fieldFault, type Form, type FormField, type TextFormat } from "../../contracts/host/form.ts";

const maxFields = 100;
const maxChoices = 1_000;
const maxTextChars = 10_000;
const maxAddressChars = 4_000;

type Schema = Readonly<Record<string, unknown>>;

/** Converts an `elicitation/create` request to a form. The error explains why the form cannot be shown. */
export function elicitedForm(from: string, { mode, message, url, requestedSchema }: JsonObject): Result<Form, string> {
  const text = typeof message === "string" ? cut(message, maxTextChars) : "";
  if (mode === "url") {
    const isWeb =
      typeof url === "string" && url.length <= maxAddressChars && /^https?:/iu.test(url) && URL.canParse(url);
    return isWeb ? ok({ from, text, address: url, fields: [] }) : err("url must be an http or https address");
  }
  if (mode !== undefined && mode !== "form") return err("the only modes are form and url");
  const { properties, required } = isObject(requestedSchema) ? requestedSchema : {};
  if (!isObject(properties)) return err("requestedSchema must be an object with properties");
  const entries = Object.entries(properties);
  if (entries.length > maxFields) return err(`a form may have at most ${maxFields} fields`);
  const names: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields: FormField[] = [];
  for (const [name, schema] of entries) {
    const field = isObject(schema) ? readField(name, schema, names.includes(name)) : undefined;
    if (!field) return err(`the field ${JSON.stringify(cut(name, 100))} has a schema that forms do not support`);
    fields.push(withDefault(field, isObject(schema) ? schema["default"] : undefined));
  }
  return ok({ from, text, fields });
}

function readField(name: string, schema: Schema, isRequired: boolean): FormField | undefined {
  const { type, title, description, format } = schema;
  const facts = withoutUndefined({ name, title: textOf(title), description: textOf(description), isRequired });
  switch (type) {
    case "string": {
      if (schema["enum"] === undefined && schema["oneOf"] === undefined) {
        const [minChars, maxChars] = [numberOf(schema["minLength"]), numberOf(schema["maxLength"])];
        const textFormat = textFormats.find((each) => each === format);
        return { ...facts, kind: "text", ...withoutUndefined({ format: textFormat, minChars, maxChars }) };
      }
      const choices = choicesOf(schema, "oneOf");
      return choices && { ...facts, kind: "choice", choices, hasSeveral: false };
    }
    case "number":
    case "integer": {
      const bounds = { min: numberOf(schema["minimum"]), max: numberOf(schema["maximum"]) };
      return { ...facts, kind: "number", isWhole: type === "integer", ...withoutUndefined(bounds) };
    }
    case "boolean":
      return { ...facts, kind: "yes_no" };
    case "array": {
      const choices = isObject(schema["items"]) ? choicesOf(schema["items"], "anyOf") : undefined;
      const bounds = { min: numberOf(schema["minItems"]), max: numberOf(schema["maxItems"]) };
      return choices && { ...facts, kind: "choice", choices, hasSeveral: true, ...withoutUndefined(bounds) };
    }
    default:
      return undefined;
  }
}

const textFormats: readonly TextFormat[] = ["email", "uri", "date", "date-time"];

/** Reads the choices: `enum` with or without `enumNames`, or a list of titled constants (`oneOf`, `anyOf`). */
function choicesOf(schema: Schema, titled: "oneOf" | "anyOf") {
  const { enum: values, enumNames: titles, [titled]: constants } = schema;
  const read = Array.isArray(constants)
    ? constants.map((each: unknown) => (isObject(each) ? choice(each["const"], each["title"]) : undefined))
    : Array.isArray(values)
      ? values.map((value: unknown, index) =>
          choice(value, Array.isArray(titles) ? (titles[index] as unknown) : undefined),
        )
      : [];
  const choices = read.filter((each) => each !== undefined);
  const isUsable = choices.length > 0 && choices.length === read.length && choices.length <= maxChoices;
  return isUsable ? choices : undefined;
}

function choice(value: unknown, title: unknown) {
  return typeof value === "string" ? { value, title: textOf(title) ?? value } : undefined;
}

/** A default that does not fit its own field is dropped. */
function withDefault(field: FormField, value: unknown): FormField {
  const isText = ["string", "number", "boolean"].includes(typeof value);
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  // Reads plain values; the fields of each kind check them.
  if (!(isText || isList) || fieldFault(field, value as string | readonly string[]) !== undefined) return field;
  return { ...field, default: value } as FormField;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? cut(value, maxTextChars) : undefined;
}
