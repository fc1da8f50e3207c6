import { type Annotations } from "./annotations.ts";

export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array";

/** Schemas as they came, which must all hold. */
export type SchemaParts = readonly unknown[];

/** One way to satisfy a schema: a single type with all that is said of it. */
export interface Shape {
  readonly type: TypeName;
  readonly annotations: Annotations;
  readonly values: readonly (string | number | boolean | object)[] | undefined;
  /** Keywords with a checked literal: `minLength`, `pattern`, `uniqueItems` … */
  readonly limits: Readonly<Record<string, string | number | boolean>>;
  readonly properties: ReadonlyMap<string, SchemaParts>;
  readonly required: readonly string[];
  /** Further properties: false when there are none, undefined when nothing is said. */
  readonly rest: SchemaParts | false | undefined;
  readonly items: SchemaParts | undefined;
  /** What was said of single values. */
  readonly legend: string | undefined;
  /** The keys of the schema it came from, in their order. */
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
