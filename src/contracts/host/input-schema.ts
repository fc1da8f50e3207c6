import type { JsonObject, JsonValue } from "../../base/json.ts";

declare const valueType: unique symbol;

/**
 * A JSON Schema together with the TypeScript type that it describes. Schemas are plain data, so writing one loads no
 * code. `fromJsonSchema` validates input from outside; the compiler checks input that code builds.
 */
export interface Schema<Value> {
  readonly json: JsonObject;
  readonly isOptional?: boolean;
  /** Used only by the compiler for type inference. */
  readonly [valueType]?: Value;
}

export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

export const string = (description: string): Schema<string> => ({ json: { type: "string", description } });

export const integer = (
  description: string,
  limits: { readonly minimum?: number; readonly maximum?: number } = {},
): Schema<number> => ({ json: { type: "integer", description, ...limits } });

export const number = (description: string): Schema<number> => ({ json: { type: "number", description } });

export const flag = (description: string): Schema<boolean> => ({ json: { type: "boolean", description } });

/** Any JSON value. */
export const anything = (description: string): Schema<JsonValue> => ({ json: { description } });

export const oneOf = <const Values extends readonly string[]>(
  description: string,
  values: Values,
): Schema<Values[number]> => ({ json: { type: "string", enum: values, description } });

export const list = <Item>(description: string, item: Schema<Item>): Schema<readonly Item[]> => ({
  json: { type: "array", items: item.json, description },
});

export const optional = <Value>(schema: Schema<Value>): Schema<Value> & { readonly isOptional: true } => ({
  ...schema,
  isOptional: true,
});

type Shape = Readonly<Record<string, Schema<unknown>>>;
type OptionalNames<S extends Shape> = {
  [Name in keyof S]: S[Name] extends { isOptional: true } ? Name : never;
}[keyof S];

/** An optional field may also be given as `undefined`. */
type ObjectOf<S extends Shape> = {
  readonly [Name in Exclude<keyof S, OptionalNames<S>>]: ValueOf<S[Name]>;
} & { readonly [Name in OptionalNames<S>]?: ValueOf<S[Name]> | undefined };

/** Fields that the schema does not name are rejected. */
export function object<const S extends Shape>(shape: S, description?: string): Schema<ObjectOf<S>> {
  const names = Object.keys(shape);
  return {
    json: {
      type: "object",
      ...(description !== undefined && { description }),
      properties: Object.fromEntries(names.map((name) => [name, shape[name]?.json ?? {}])),
      required: names.filter((name) => shape[name]?.isOptional !== true),
      additionalProperties: false,
    },
  };
}
