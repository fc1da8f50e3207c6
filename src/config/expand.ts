import { isObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { Env } from "./home.ts";

/**
 * Puts environment values in place of `${NAME}` and `${env:NAME}`. An unknown name stays as it is written. Sections that
 * `literal` names are left alone: a safety rule means what it says.
 */
export function expand(tree: JsonObject, env: Env, literal: (name: string) => boolean): JsonObject {
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [name, literal(name) ? value : expandValue(value, env)]),
  );
}

function expandValue(value: JsonValue, env: Env): JsonValue {
  if (typeof value === "string") return value.replace(reference, (whole, name: string) => env[name] ?? whole);
  if (Array.isArray(value)) return value.map((item: JsonValue) => expandValue(item, env));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expandValue(item, env)]));
}

const reference = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/gu;
