import { isObject, type JsonValue } from "../base/json.ts";
import { createMask } from "../base/mask.ts";
import { isSecretName } from "./secret-names.ts";
import type { Secrets } from "./secrets.ts";

/** Makes a function that shows a value of a key without what is secret in it: by name, by value, and in addresses. */
export function createValueMask(secrets: Secrets): (key: string, value: JsonValue) => JsonValue {
  const mask = createMask();
  for (const value of secrets.values) mask.add(value);
  function show(name: string, value: JsonValue): JsonValue {
    if (typeof value === "string") {
      if (isSecretName(name) && value !== "" && !/^\$\{[^}]+\}$/u.test(value)) return "***";
      return mask.redact(value).replace(/(?<=:\/\/)[^\s/@]+(?=@)/gu, "***");
    }
    if (Array.isArray(value)) return value.map((item: JsonValue) => show(name, item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, show(key, item)]));
  }
  return (key, value) => show(key.split(".").at(-1) ?? key, value);
}
