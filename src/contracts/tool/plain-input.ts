import { isObject } from "../../base/json.ts";
import type { SchemaIssue, SchemaVerdict } from "./tool.ts";

/**
 * Implements the part of zod that the arguments of built-in tools need. The build replaces zod by this module, because
 * loading zod takes longer than a whole call. `plain-input.test.ts` compares both for every such tool.
 */
export const object = (shape: Readonly<Record<string, Plain>>): Plain & { readonly shape: typeof shape } => ({
  shape,
  ...plain((value, issues, path) => {
    if (!isObject(value)) return wrongType("object", value, issues, path);
    const read: Record<string, unknown> = {};
    for (const [key, kind] of Object.entries(shape)) {
      const part = kind.read(value[key], issues, [...path, key]);
      if (part !== undefined) read[key] = part;
    }
    return read;
  }),
});

export const string = (): Plain => plain(ofType("string"), "string");
export const boolean = (): Plain => plain(ofType("boolean"));
export const number = (): Plain => plain(readNumber, "number");
export const int = (): Plain => number().int();
export const unknown = (): Plain => plain((value) => value);

const enumOf = (values: readonly string[]): Plain =>
  plain((value, issues, path) => {
    if (typeof value === "string" && values.includes(value)) return value;
    return wrong(`Invalid option: expected one of ${values.map((each) => `"${each}"`).join("|")}`, issues, path);
  });
export { enumOf as enum };

export const array = (item: Plain): Plain =>
  plain((value, issues, path) => {
    if (!Array.isArray(value)) return wrongType("array", value, issues, path);
    return value.map((each: unknown, index) => item.read(each, issues, [...path, index]));
  }, "array");

export const union = (kinds: readonly Plain[]): Plain =>
  plain((value, issues, path) => {
    for (const kind of kinds) {
      const matches: SchemaIssue[] = [];
      const read = kind.read(value, matches, path);
      if (matches.length === 0) return read;
    }
    return wrong("Invalid input", issues, path);
  });

/** An object with arbitrary keys whose values have one type. */
export const record = (_name: Plain, item: Plain): Plain =>
  plain((value, issues, path) => {
    if (!isObject(value)) return wrongType("record", value, issues, path);
    const entries = Object.entries(value).map(([key, each]) => [key, item.read(each, issues, [...path, key])]);
    return Object.fromEntries(entries) as unknown;
  });

type Path = readonly (string | number)[];
/** Returns the parsed value and appends problems to `issues`. */
type Read = (value: unknown, issues: SchemaIssue[], path: Path) => unknown;

export interface Plain {
  readonly read: Read;
  min(limit: number): Plain;
  max(limit: number): Plain;
  positive(): Plain;
  int(): Plain;
  regex(shape: RegExp): Plain;
  optional(): Plain;
  default(value: unknown): Plain;
  describe(text: string): Plain;
  meta(facts: Readonly<Record<string, unknown>>): Plain;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "zod";
    validate(value: unknown): SchemaVerdict<unknown>;
    /** The build has already extracted the JSON Schema. */
    readonly jsonSchema: { input(): Record<string, unknown> };
  };
}

type Sized = "string" | "number" | "array";

function plain(read: Read, sized?: Sized): Plain {
  const also = (isRight: (value: unknown) => boolean, message: string) =>
    plain((value, issues, path) => {
      const before = issues.length;
      const used = read(value, issues, path);
      // Size limits do not apply to a value of another type.
      if (issues.slice(before).some((issue) => issue.path?.length === path.length && isOfType(issue))) return used;
      if (!isRight(used)) wrong(message, issues, path);
      return used;
    }, sized);
  const unit = { string: "string to have %characters", array: "array to have %items", number: "number to be %" };
  const bound = (sign: string, limit: number) => {
    const [before = "", after = ""] = unit[sized ?? "number"].split("%");
    return `expected ${before}${sign}${limit}${after && ` ${after}`}`;
  };
  return {
    read,
    min: (min) => also((value) => sizeOf(value) >= min, `Too small: ${bound(">=", min)}`),
    max: (max) => also((value) => sizeOf(value) <= max, `Too big: ${bound("<=", max)}`),
    positive: () => also((value) => sizeOf(value) > 0, `Too small: ${bound(">", 0)}`),
    int: () => also(Number.isSafeInteger, "Invalid input: expected int, received number"),
    regex: (shape) =>
      also((value) => typeof value === "string" && shape.test(value), `Invalid string: must match ${String(shape)}`),
    optional: () => plain((value, ...rest) => (value === undefined ? undefined : read(value, ...rest)), sized),
    default: (defaults) => plain((value, ...rest) => (value === undefined ? defaults : read(value, ...rest)), sized),
    describe: () => plain(read, sized),
    meta: () => plain(read, sized),
    "~standard": {
      version: 1,
      vendor: "zod",
      validate(value) {
        const issues: SchemaIssue[] = [];
        const used = read(value, issues, []);
        return issues.length > 0 ? { issues } : { value: used };
      },
      jsonSchema: { input: () => ({}) },
    },
  };
}

function sizeOf(value: unknown): number {
  return typeof value === "number"
    ? value
    : typeof value === "string" || Array.isArray(value)
      ? value.length
      : Number.NaN;
}

function ofType(type: "string" | "boolean"): Read {
  return (value, issues, path) => (typeof value === type ? value : wrongType(type, value, issues, path));
}

const readNumber: Read = (value, issues, path) =>
  Number.isFinite(value) ? value : wrongType("number", value, issues, path);

function wrongType(requested: string, value: unknown, issues: SchemaIssue[], path: Path): undefined {
  return wrong(`Invalid input: expected ${requested}, received ${typeName(value)}`, issues, path);
}

function isOfType({ message }: SchemaIssue): boolean {
  return message.startsWith("Invalid input: expected");
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : typeof value;
}

function wrong(message: string, issues: SchemaIssue[], path: Path): undefined {
  issues.push({ message, path });
}
