import { isObject } from "../../base/json.ts";
import { valueOr } from "../../base/result.ts";
import { byText } from "../../base/text/order.ts";
import { isSecretName } from "../keys/secret-names.ts";
import type { EnvironmentView } from "./environment.ts";

/** Secrets of the environment and the home's `.env`. Lookups are by name; masks hide the values. */
export interface Secrets {
  get(name: string): string | undefined;
  /** Names of environment variables that hold a secret, sorted. `file`: the `.env` that holds the value. */
  readonly names: readonly { readonly name: string; readonly file?: string }[];
  /** Values that must never be shown, because their variable or key has the name of a secret. */
  readonly values: readonly string[];
  /** Adds a value from another source, in memory only. A value of the environment or `.env` takes precedence. */
  supply(name: string, value: string): void;
  /** Uses the values of a `.env` that was read again, for all later lookups. */
  renew(view: EnvironmentView): RenewedSecrets;
}

/**
 * The names of the variables that a new `.env` added, changed or removed, and the values that must be masked.
 */
export interface RenewedSecrets {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Values that must be masked from now on. */
  readonly newValues: readonly string[];
}

export function createSecrets(first: EnvironmentView, tree: unknown): Secrets {
  let view = first;
  const values = new Set<string>();
  const keep = (text: string): void => {
    const behindScheme = /^(?:bearer|basic|token|bot|apikey|key)\s+(\S+)$/iu.exec(text.trim())?.[1];
    if (behindScheme !== undefined) keep(behindScheme);
    if (text.length >= shortest && !everyday.has(text.toLowerCase())) values.add(text);
  };
  const keepAll = ({ env }: EnvironmentView) => {
    for (const name of secretNames(env))
      for (const text of [env[name] ?? "", ...(env[name] ?? "").split(",")]) keep(text);
    for (const text of Object.values(env)) for (const password of passwordsInAddresses(text ?? "")) keep(password);
  };
  keepAll(view);
  collect(tree, false, keep);
  const supplied = new Map<string, string>();
  return {
    get: (name) => view.env[name] || (supplied.get(name) ?? view.env[name]),
    supply: (name, value) => void supplied.set(name, value),
    get names() {
      const { env, file, fromFile } = view;
      return secretNames(env).map((name) => (fromFile.has(name) ? { name, file } : { name }));
    },
    get values() {
      return [...values];
    },
    renew(next) {
      const masked = new Set(values);
      keepAll(next);
      const isOwn = (name: string) => view.fromFile.has(name) || next.fromFile.has(name);
      const names = [...new Set([...Object.keys(view.env), ...Object.keys(next.env)])].filter(isOwn).toSorted(byText);
      const before = view.env;
      view = next;
      return {
        added: names.filter((name) => before[name] === undefined),
        removed: names.filter((name) => next.env[name] === undefined),
        changed: names.filter(
          (name) => before[name] !== undefined && next.env[name] !== undefined && before[name] !== next.env[name],
        ),
        newValues: [...values].filter((value) => !masked.has(value)),
      };
    },
  };
}

function secretNames(env: EnvironmentView["env"]): readonly string[] {
  return Object.keys(env)
    .filter((name) => Boolean(env[name]) && isSecretName(name))
    .toSorted(byText);
}

/** Passwords in URLs, including percent-encoded ones, whatever their key is called: `postgres://app:PASSWORD@db`. */
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
