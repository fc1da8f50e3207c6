import { type Annotations } from "./annotations.ts";

export type TypeName = "string" | "number" | "integer" | "boolean" | "object" | "array";

/** Schemas as they came, which must all hold. */
export type Parts = readonly unknown[];

/** One way to satisfy a schema: a single type with all that is said of it. */
export interface Shape {
  readonly type: TypeName;
  readonly annotations: Annotations;
  readonly values: readonly (string | number | boolean | object)[] | undefined;
  /** Keywords with a checked literal: `minLength`, `pattern`, `uniqueItems` … */
  readonly limits: Readonly<Record<string, string | number | boolean>>;
  readonly properties: ReadonlyMap<string, Parts>;
  readonly required: readonly string[];
  /** Further properties: false when there are none, undefined when nothing is said. */
  readonly rest: Parts | false | undefined;
  readonly items: Parts | undefined;
  /** What was said of single values. */
  readonly legend: string | undefined;
  /** The keys of the schema it came from, in their order. */
  readonly order: readonly string[];
}

export interface Reference {
  readonly target: object;
  readonly name: string;
  readonly annotations: Annotations;
}

export function isReference(option: Shape | Reference): option is Reference {
  return "target" in option;
}
