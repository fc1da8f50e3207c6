import { isObject } from "../../base/json.ts";
import { valueOr } from "../../base/result.ts";
import type { Leaf } from "../schema.ts";

/**
 * Converts lenient input: `yes` to true where the key is a boolean, a number to a string, a single string to a list of
 * one. Values that cannot be converted stay unchanged, and the schema rejects them.
 */
export function coerceSetting(leaf: Leaf, value: unknown): unknown {
  switch (leaf.type) {
    case "boolean":
      return typeof value === "string" ? (switches.get(value.trim().toLowerCase()) ?? value) : value;
    case "words":
      if (typeof value === "boolean") return leaf.words[value ? "true" : "false"] ?? value;
      return typeof value === "string" ? wordOf(leaf, value) : value;
    case "number":
      return typeof value === "string" && decimal.test(value.trim()) ? Number(value.replaceAll("_", "")) : value;
    case "string":
      return plainText(value);
    case "strings":
      return Array.isArray(value) ? value.map(plainText) : typeof value === "string" && value !== "" ? [value] : value;
    case "entries":
      return Array.isArray(value) ? value.map(withoutEmpty) : isObject(value) ? [withoutEmpty(value)] : value;
    case "json":
      return value;
  }
}

/** Converts a value from the environment, a flag or a person: text, or YAML's short form of a list. */
export function coerceText(leaf: Leaf, text: string): unknown {
  if (leaf.type === "entries" || leaf.type === "json") return jsonIn(text);
  if (leaf.type !== "strings") return coerceSetting(leaf, leaf.type === "string" ? text : text.trim());
  if (!text.trim().startsWith("["))
    return text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "");
  return coerceSetting(leaf, jsonIn(text));
}

function jsonIn(text: string): unknown {
  return valueOr((): unknown => JSON.parse(text), text);
}

/** The boolean words of YAML 1.1, which configurations of the Python version use, and 1 and 0. */
const switches: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "y", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "n", "0"].map((word) => [word, false] as const),
]);

/** Numbers as PyYAML reads them, with `_`: `50_000`. */
const decimal = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?$/iu;

function wordOf(leaf: Leaf, text: string): string {
  const word = text.trim().toLowerCase();
  if (leaf.options.includes(word)) return word;
  const target = switches.get(word);
  return (target === undefined ? undefined : leaf.words[target ? "true" : "false"]) ?? text;
}

/** Removes keys without a value, which have no meaning. */
function withoutEmpty(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}

function plainText(value: unknown): unknown {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
}
