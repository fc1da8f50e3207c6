import { type Annotations } from "./annotations.ts";

export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array";

/** Original schemas that must all be satisfied. */
export type SchemaParts = readonly unknown[];

/** One way to satisfy a schema: a single type with its constraints. */
export interface Shape {
  readonly type: TypeName;
  readonly annotations: Annotations;
  readonly values: readonly (string | number | boolean | object)[] | undefined;
  /** Keywords with a validated literal: `minLength`, `pattern`, `uniqueItems` … */
  readonly limits: Readonly<Record<string, string | number | boolean>>;
  readonly properties: ReadonlyMap<string, SchemaParts>;
  readonly required: readonly string[];
  /** Additional properties: false if forbidden, undefined if unspecified. */
  readonly rest: SchemaParts | false | undefined;
  readonly items: SchemaParts | undefined;
  /** Descriptions of single values. */
  readonly legend: string | undefined;
  /** The keys of the source schema, in order. */
  readonly order: readonly string[];
}

export interface SchemaReference {
  readonly target: object;
  readonly name: string;
  readonly annotations: Annotations;
}

export function isReference(option: Shape | SchemaReference): option is SchemaReference {
  return "target" in option;
}
