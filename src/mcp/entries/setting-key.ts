import { once } from "../../base/async/once.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";

/** One key of a server's settings. */
export interface SettingKey<T> {
  /** Reads a value; undefined if the key is not set. The error completes "KEY …". */
  read(value: JsonValue | undefined): Result<T, string>;
  readonly initial: JsonValue | undefined;
  readonly about: string;
  /** The keys of a settings section. */
  readonly keys?: SettingKeys;
  /** The meaning of a key that is written without a value. Default: it is not set. */
  readonly empty?: JsonValue;
}

export type SettingKeys = Readonly<Record<string, SettingKey<unknown>>>;

/** The type of all values of a section, with defaults. */
export type SettingValues<K extends SettingKeys> = {
  readonly [N in keyof K]: K[N] extends SettingKey<infer T> ? T : never;
};

type Reader<T> = (value: JsonValue) => Result<T, string>;

export function defaultOf<T extends JsonValue>(initial: T, reader: Reader<T>, about: string): SettingKey<T> {
  return { read: (value) => (value === undefined ? ok(initial) : reader(value)), initial, about };
}

export function optionalKey<T extends JsonValue>(reader: Reader<T>, about: string): SettingKey<T | undefined> {
  return { read: (value) => (value === undefined ? ok(undefined) : reader(value)), initial: undefined, about };
}

/** A section below a key. A plain `true` or `false` sets its `enabled`. */
export function sectionKey<K extends SettingKeys>(keys: K): SettingKey<SettingValues<K>> {
  const readAll = keyReader(keys);
  const unset = once(() => readAll({}));
  return {
    read(value) {
      if (value === undefined) return unset();
      const isSwitch = typeof value === "boolean" && "enabled" in keys;
      return readAll(isSwitch ? { enabled: value } : value);
    },
    initial: undefined,
    about: "",
    keys,
  };
}

/**
 * Reads all keys. The first mistake becomes the error `KEY …`. `foreign` maps keys of other programs to ours. Default
 * values are read only once, because users may have fifty servers with two keys each.
 */
export function keyReader<K extends SettingKeys>(
  keys: K,
  foreign: Readonly<Record<string, string>> = {},
): (raw: JsonValue) => Result<SettingValues<K>, string> {
  const unset = once(() => {
    const values = Object.entries(keys).map(([name, key]) => [name, key.read(undefined)] as const);
    return Object.fromEntries(values.map(([name, read]) => [name, read.ok ? read.value : undefined]));
  });
  return (raw) => {
    if (!isObject(raw)) return err("must contain keys and values");
    const names = Object.keys(raw);
    const unknown = names.find((name) => !Object.hasOwn(keys, name));
    if (unknown !== undefined) return err(unknownKey(unknown, Object.keys(keys), foreign));
    const values: Record<string, unknown> = { ...unset() };
    for (const name of names) {
      const key = keys[name];
      const value = raw[name] ?? key?.empty;
      if (key === undefined || value === undefined) continue;
      const read = key.read(value);
      if (!read.ok) return err(`${name}${key.keys !== undefined && isObject(value) ? "." : " "}${read.error}`);
      values[name] = read.value;
    }
    // The cast is safe: each key was read by its own reader.
    return ok(values as SettingValues<K>);
  };
}

/** Accepts YAML variants: a number as text, and `yes` as true. */
export const valueReaders = {
  text: textReader,
  texts: textsReader,
  textMap: textMapReader,
  object: objectReader,
  flag: flagReader,
  seconds,
  whole,
  oneOf: oneOfReader,
} as const;

function textReader(value: JsonValue): Result<string, string> {
  const plain = plainText(value);
  if (plain === undefined) return err("must be a string");
  if (plain.trim() === "") return err("must not be empty");
  return plain.includes("\0") ? err("contains a NUL character") : ok(plain);
}

function textsReader(value: JsonValue): Result<readonly string[], string> {
  const list = (Array.isArray(value) ? value : [value]).map(plainText);
  const plain = list.filter((item) => item !== undefined);
  if (plain.length < list.length) return err("must be a list of strings");
  return plain.some((item) => item.includes("\0")) ? err("contains a NUL character") : ok(plain);
}

function textMapReader(value: JsonValue): Result<Readonly<Record<string, string>>, string> {
  if (!isObject(value)) return err("must map names to strings");
  const pairs: [string, string][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item === null) continue;
    const plain = plainText(item);
    if (plain === undefined || /[\0\r\n=:\s]/u.test(name) || name === "")
      return err(`has an entry ${JSON.stringify(name)} whose value is not a string`);
    if (plain.includes("\0")) return err(`contains a NUL character at ${name}`);
    pairs.push([name, plain]);
  }
  return ok(Object.fromEntries(pairs));
}

function objectReader(value: JsonValue): Result<JsonObject, string> {
  return isObject(value) ? ok(value) : err("must contain keys and values");
}

function flagReader(value: JsonValue): Result<boolean, string> {
  if (typeof value === "boolean") return ok(value);
  const word = (plainText(value) ?? "").trim().toLowerCase();
  if (/^(?:true|yes|on|1)$/u.test(word)) return ok(true);
  return /^(?:false|no|off|0)$/u.test(word) ? ok(false) : err("must be true or false");
}

function seconds(min: number): Reader<number> {
  return (value) => {
    const number = numberOf(value);
    if (number === undefined || number < min || number > maxSeconds)
      return err(`must be a number of seconds from ${min} to ${maxSeconds}`);
    return ok(number);
  };
}

function whole(min: number, max: number): Reader<number> {
  return (value) => {
    const number = numberOf(value);
    if (number === undefined || !Number.isInteger(number) || number < min || number > max)
      return err(`must be a whole number from ${min} to ${max}`);
    return ok(number);
  };
}

/** Reads one of several words, in any of their spellings. */
function oneOfReader<W extends string>(spellings: Readonly<Record<W, readonly string[]>>): Reader<W> {
  const words = Object.keys(spellings) as W[];
  return (value) => {
    const typed = (plainText(value) ?? "").trim().toLowerCase();
    const word = words.find((each) => spellings[each].includes(typed));
    return word === undefined ? err(`must be one of ${words.join(", ")}`) : ok(word);
  };
}

/** The limit in seconds that a timer can wait. */
const maxSeconds = 2_000_000;

function plainText(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function numberOf(value: JsonValue): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

function unknownKey(name: string, names: readonly string[], foreign: Readonly<Record<string, string>>): string {
  const same = Object.hasOwn(foreign, name) ? foreign[name] : undefined;
  const hint = same === undefined ? didYouMean(name, names) : `Hermes calls it ${same}.`;
  return `${name} is not a known key. ${hint || "docs/guide/mcp.md lists the keys."}`;
}
