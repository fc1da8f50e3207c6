import { isObject, type JsonValue } from "../../base/json.ts";
import { createMask } from "../../base/text/mask.ts";
import type { Secrets } from "../sources/secrets.ts";
import { isSecretName } from "./secret-names.ts";

/**
 * Creates a function that formats the value of a key without secrets: by name, by value, in URLs, after `Bearer` and
 * after flags. Part of a list or section is masked as part of the whole.
 */
export function createValueMask(secrets: Pick<Secrets, "values">): (key: string, value: JsonValue) => JsonValue {
  const mask = createMask();
  for (const value of secrets.values) mask.add(value);

  function show(value: JsonValue, isSecret: boolean): JsonValue {
    if (typeof value === "string") return isSecret ? hidden(value) : partsHidden(mask.redact(value));
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, index) => show(item, isSecret || isSecretFlag(value[index - 1])));
    }
    if (!isObject(value)) return isSecret && typeof value === "number" ? "***" : value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, show(item, isSecret || isSecretName(key))]),
    );
  }
  return (key, value) => show(value, key.split(".").some(isSecretName));
}

function hidden(text: string): string {
  return text === "" || /^\$\{[^}]+\}$/u.test(text) ? text : "***";
}

function partsHidden(text: string): string {
  return text
    .replace(/(?<=:\/\/)[^\s/@]+(?=@)/gu, "***")
    .replace(/\b(Bearer|Basic)\s+[^\s,"']+/giu, "$1 ***")
    .replace(/(?<=^|[\s?&;])(-{0,2}[\w-]+)=[^\s&;#]+/gu, (whole, name: string) =>
      isSecretName(name) ? `${name}=***` : whole,
    );
}

/** `--token`, whose value is the next word. */
function isSecretFlag(word: JsonValue | undefined): boolean {
  return typeof word === "string" && /^--?[\w-]+$/u.test(word) && isSecretName(word);
}
