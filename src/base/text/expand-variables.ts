import { isObject, type JsonValue } from "../json.ts";

/** Replaces `${NAME}` and `${env:NAME}` in every string. Names without a value stay unchanged. */
export function expandVariables(value: JsonValue, valueOf: (name: string) => string | undefined): JsonValue {
  if (typeof value === "string") return value.replace(reference, (whole, name: string) => valueOf(name) ?? whole);
  if (Array.isArray(value)) return value.map((item: JsonValue) => expandVariables(item, valueOf));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [key, expandVariables(item, valueOf)]));
}

const reference = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/gu;
