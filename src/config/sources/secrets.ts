import { isObject } from "../../base/json.ts";
import { valueOr } from "../../base/result.ts";
import { isSecretName } from "../keys/secret-names.ts";
import type { EnvironmentView } from "./environment.ts";

/** Secrets of the environment and the home's `.env`. Lookups are by name; masks hide the values. */
export interface Secrets {
  get(name: string): string | undefined;
  /** Names of environment variables that hold a secret, sorted. `file`: the `.env` that holds the value. */
  readonly names: readonly { readonly name: string; readonly file?: string }[];
  /** Values that must never be shown: those of names and keys that mean secrets. */
  readonly values: readonly string[];
  /** Adds a value from elsewhere, in memory only. A value of the environment or `.env` wins. */
  supply(name: string, value: string): void;
}

export function createSecrets({ env, file, fromFile }: EnvironmentView, tree: unknown): Secrets {
  const values = new Set<string>();
  const keep = (text: string): void => {
    const behindScheme = /^(?:bearer|basic|token|bot|apikey|key)\s+(\S+)$/iu.exec(text.trim())?.[1];
    if (behindScheme !== undefined) keep(behindScheme);
    if (text.length >= shortest && !everyday.has(text.toLowerCase())) values.add(text);
  };
  const names = Object.keys(env).filter((name) => Boolean(env[name]) && isSecretName(name));
  for (const name of names) for (const text of [env[name] ?? "", ...(env[name] ?? "").split(",")]) keep(text);
  for (const text of Object.values(env)) for (const password of passwordsInAddresses(text ?? "")) keep(password);
  collect(tree, false, keep);
  const supplied = new Map<string, string>();
  return {
    get: (name) => env[name] || (supplied.get(name) ?? env[name]),
    supply: (name, value) => void supplied.set(name, value),
    names: names.toSorted().map((name) => (fromFile.has(name) ? { name, file } : { name })),
    values: [...values],
  };
}

/** Passwords in URLs, also percent-encoded, independent of the name next to them: `postgres://app:PASSWORD@db`. */
function passwordsInAddresses(text: string): string[] {
  return [...text.matchAll(/:\/\/[^\s:/?#@]*:([^\s/?#]+)@/gu)].flatMap(([, password = ""]) => {
    const decoded = decodedPart(password);
    return decoded === password ? [password] : [password, decoded];
  });
}

function decodedPart(text: string): string {
  return valueOr(() => decodeURIComponent(text), text);
}

/** Shorter values are common words; so are these, which many people use as local passwords. */
const shortest = 6;
const everyday: ReadonlySet<string> = new Set(
  "password passwd secret changeme changeit postgres postgresql mariadb mongodb default example testing development production localhost username undefined".split(
    " ",
  ),
);

function collect(node: unknown, secret: boolean, keep: (text: string) => void): void {
  if (typeof node === "string") {
    if (secret) keep(node);
    for (const password of passwordsInAddresses(node)) keep(password);
  } else if (Array.isArray(node)) for (const item of node) collect(item, secret, keep);
  else if (isObject(node))
    for (const [key, item] of Object.entries(node)) collect(item, secret || isSecretName(key), keep);
}
