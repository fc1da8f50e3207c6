import { once } from "../../../base/async/once.ts";
import { isObject } from "../../../base/json.ts";
import * as plainInput from "../../../contracts/tool/plain-input.ts";
import type { Plain } from "../../../contracts/tool/plain-input.ts";

/**
 * A replacement for zod that loads the real zod only on demand: loading zod takes as long as starting Node, and tool
 * schemas rarely use more than a small part of it. This module records how a schema is built. If the schema uses only
 * that part, `plain-input` validates and the JSON Schema is built here; otherwise zod builds the schema from the
 * record.
 */
export function createLightZod(loadZod: () => object): object {
  return new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name === "string" && Object.hasOwn(factories, name))
          return (...args: readonly unknown[]) => record([{ name, args }], loadZod);
        return Reflect.get(loadZod(), name) as unknown;
      },
      has: (_, name) => name in loadZod(),
      ownKeys: () => Reflect.ownKeys(loadZod()),
      getOwnPropertyDescriptor: (_, name) => ({
        value: Reflect.get(loadZod(), name) as unknown,
        enumerable: true,
        configurable: true,
      }),
    },
  );
}

interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** The calls that built a schema, stored under a key that is private to this module. */
const callsOf = Symbol("calls");

function record(calls: readonly Call[], loadZod: () => object): object {
  const real = once(() => replay(calls, loadZod()) as object);
  const standard = once(() => lightStandard(calls) ?? (Reflect.get(real(), "~standard") as Standard));
  const facade: Standard = {
    version: 1,
    vendor: "zod",
    validate: (value) => standard().validate(value),
    jsonSchema: { input: (options) => standard().jsonSchema.input(options) },
  };
  return new Proxy(
    {},
    {
      get(_, name) {
        if (name === callsOf) return calls;
        if (name === "~standard") return facade;
        if (typeof name === "string" && Object.hasOwn(methods, name))
          return (...args: readonly unknown[]) => record([...calls, { name, args }], loadZod);
        const value: unknown = Reflect.get(real(), name);
        return typeof value === "function" ? (value.bind(real()) as unknown) : value;
      },
      set: (_, name, value) => Reflect.set(real(), name, value),
      has: (_, name) => name === "~standard" || name in real(),
      getPrototypeOf: () => Object.getPrototypeOf(real()) as object,
    },
  );
}

interface Standard {
  readonly version: 1;
  readonly vendor: "zod";
  validate(value: unknown): unknown;
  readonly jsonSchema: { input(options: unknown): Record<string, unknown> };
}

/** Builds the schema with zod, including every recorded schema in its arguments. */
function replay(calls: readonly Call[], zod: object): unknown {
  return calls.reduce<unknown>((owner, { name, args }) => {
    const method = Reflect.get(owner as object, name) as (...all: readonly unknown[]) => unknown;
    return method.apply(
      owner,
      args.map((arg) => realArgument(arg, zod)),
    );
  }, zod);
}

function realArgument(arg: unknown, zod: object): unknown {
  const calls = recorded(arg);
  if (calls) return replay(calls, zod);
  if (Array.isArray(arg)) return arg.map((each) => realArgument(each, zod));
  if (!isObject(arg) || Object.getPrototypeOf(arg) !== Object.prototype) return arg;
  return Object.fromEntries(Object.entries(arg).map(([key, each]) => [key, realArgument(each, zod)]));
}

function recorded(value: unknown): readonly Call[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return (value as { readonly [callsOf]?: readonly Call[] })[callsOf];
}

// ── the part of zod that is made here ───────────────────────────────────────────────────────────────────────────────

/** A schema in both forms: recorded calls and JSON Schema. */
interface Light {
  readonly plain: Plain;
  readonly schema: Readonly<Record<string, unknown>>;
  /** Decides which methods may follow. After `closed`, only a description may. */
  readonly kind: "string" | "number" | "array" | "other" | "closed";
  readonly isOptional?: boolean;
}

function lightStandard(calls: readonly Call[]): Standard | undefined {
  const light = lightOf(calls);
  if (!light) return undefined;
  return { ...light.plain["~standard"], jsonSchema: { input: () => ({ ...light.schema }) } };
}

/** Undefined if only zod can build the schema. */
function lightOf([first, ...rest]: readonly Call[]): Light | undefined {
  const start = first && factories[first.name]?.(...first.args);
  return rest.reduce<Light | undefined>((light, { name, args }) => light && methods[name]?.(light, ...args), start);
}

type Factory = (...args: readonly unknown[]) => Light | undefined;
type Method = (light: Light, ...args: readonly unknown[]) => Light | undefined;

const factories: Readonly<Record<string, Factory>> = {
  string: simple(() => ({ plain: plainInput.string(), schema: { type: "string" }, kind: "string" })),
  number: simple(() => ({ plain: plainInput.number(), schema: { type: "number" }, kind: "number" })),
  int: simple(() => ({ plain: plainInput.int(), schema: { type: "integer" }, kind: "number" })),
  boolean: simple(() => ({ plain: plainInput.boolean(), schema: { type: "boolean" }, kind: "other" })),
  enum(given, ...more) {
    const values = Array.isArray(given) ? given : isObject(given) ? Object.values(given) : [];
    if (more.length > 0 || values.length === 0 || !values.every((each) => typeof each === "string")) return undefined;
    return { plain: plainInput.enum(values), schema: { type: "string", enum: values }, kind: "other" };
  },
  array(item, ...more) {
    const light = more.length === 0 ? lightArgument(item) : undefined;
    if (!light || light.isOptional) return undefined;
    return { plain: plainInput.array(light.plain), schema: { type: "array", items: light.schema }, kind: "array" };
  },
  object(shape, ...more) {
    if (!isObject(shape) || more.length > 0) return undefined;
    const parts = Object.entries(shape).map(([name, part]) => ({ name, light: lightArgument(part) }));
    if (parts.some(({ name, light }) => !light || name === "__proto__")) return undefined;
    const lights = parts.flatMap(({ name, light }) => (light ? [{ name, light }] : []));
    const required = lights.filter(({ light }) => !light.isOptional).map(({ name }) => name);
    return {
      plain: plainInput.object(Object.fromEntries(lights.map(({ name, light }) => [name, light.plain]))),
      schema: {
        type: "object",
        properties: Object.fromEntries(lights.map(({ name, light }) => [name, light.schema])),
        ...(required.length > 0 && { required }),
      },
      kind: "other",
    };
  },
};

const methods: Readonly<Record<string, Method>> = {
  describe: (light, description, ...more) =>
    typeof description === "string" && more.length === 0
      ? { ...light, schema: { ...light.schema, description } }
      : undefined,
  optional: (light, ...args) =>
    args.length === 0 && light.kind !== "closed"
      ? { ...light, plain: light.plain.optional(), kind: "closed", isOptional: true }
      : undefined,
  default: (light, value, ...more) =>
    ["string", "number", "boolean"].includes(typeof value) && more.length === 0 && light.kind !== "closed"
      ? {
          plain: light.plain.default(value),
          schema: { ...light.schema, default: value },
          kind: "closed",
          isOptional: true,
        }
      : undefined,
  min: bound("min", { string: "minLength", number: "minimum", array: "minItems" }),
  max: bound("max", { string: "maxLength", number: "maximum", array: "maxItems" }),
  int: (light, ...args) =>
    args.length === 0 && light.kind === "number"
      ? { ...light, plain: light.plain.int(), schema: { ...light.schema, type: "integer" } }
      : undefined,
};

function simple(make: () => Light): Factory {
  return (...args) => (args.length === 0 ? make() : undefined);
}

function bound(method: "min" | "max", keywords: Readonly<Record<string, string>>): Method {
  return (light, limit, ...more) => {
    const keyword = keywords[light.kind];
    // zod builds a schema with two bounds of the same kind, because they must be compared.
    if (keyword === undefined || typeof limit !== "number" || more.length > 0 || keyword in light.schema)
      return undefined;
    return { ...light, plain: light.plain[method](limit), schema: { ...light.schema, [keyword]: limit } };
  };
}

function lightArgument(value: unknown): Light | undefined {
  const calls = recorded(value);
  return calls && lightOf(calls);
}
