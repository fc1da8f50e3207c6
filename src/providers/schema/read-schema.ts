import { isObject } from "../../base/json.ts";
import { annotationsOf, type Annotations } from "./annotations.ts";
import { constraintKeywords, shapesOf } from "./constraints.ts";
import type { SchemaDocument } from "./schema-document.ts";
import { type SchemaReference } from "./shape.ts";
import { type Shape } from "./shape.ts";
import { type SchemaParts } from "./shape.ts";

/** A schema in a uniform format, independent of its draft. */
export interface SchemaReading {
  readonly annotations: Annotations;
  readonly order: readonly string[];
  readonly nullable: boolean;
  /** The alternatives, any of which satisfies the schema. Undefined: any value does. */
  readonly options?: readonly (Shape | SchemaReference)[];
  /** True if no value satisfies the schema: the schema `false`, or types that exclude each other. */
  readonly never?: true;
}

export interface SchemaReader {
  /** Parses a schema. Never throws on schema content. Relaxes parts that it cannot merge. */
  read(parts: SchemaParts): SchemaReading;
  /** True if the work limit is reached. All further parts count as "any value". */
  exhausted(): boolean;
}

export function createSchemaReader(document: SchemaDocument, remark: (text: string) => void): SchemaReader {
  let work = maxWork;
  return { read: (parts) => read(parts, maxOptions), exhausted: () => work <= 0 };

  function read(parts: SchemaParts, room: number): SchemaReading {
    const gathered = gather(parts);
    if (!("constraints" in gathered)) return gathered;
    const { annotations, order, nullable, constraints, unions } = gathered;
    const [union, ...others] = unions;
    if (union === undefined || room < 1 || work <= 0) {
      const { options: shapes, nullable: allowsNull, never } = shapesOf(constraints, order);
      const head = { annotations, order, nullable: nullable || allowsNull };
      return { ...head, ...options(shapes), ...(never ? { never } : {}) };
    }
    const base = [
      ...constraints.map((schema) => Object.fromEntries(Object.entries(schema).filter(isConstraint))),
      ...others.map((branches) => ({ anyOf: branches })),
    ];
    const inner = Math.floor((room - 1) / union.length);
    const all = union.map((branch) => read([...base, branch], inner));
    const possible = all.filter((branch) => branch.never !== true);
    const branches = possible.length > 0 ? possible : all;
    return {
      annotations,
      order,
      nullable: nullable || branches.some((branch) => branch.nullable),
      ...options(branches.some((branch) => branch.options === undefined) ? undefined : branches.flatMap(labelled)),
    };
  }

  /** Follows `allOf` and references until all conditions of this node are in one list. */
  function gather(parts: SchemaParts): Gathered | SchemaReading {
    const seen = new Set<object>();
    const order = new Set<string>();
    const constraints: Record<string, unknown>[] = [];
    const unions: (readonly unknown[])[] = [];
    let annotations: Annotations = {};
    let nullable = false;
    let alias: SchemaReference | undefined;
    let aliasNullable = false;
    let waiting = parts;
    while (waiting.length > 0) {
      const references: SchemaReference[] = [];
      const queue = waiting.toReversed();
      while (queue.length > 0 && work > 0) {
        const schema = asSchema(queue.pop());
        if (schema === false) return { annotations, order: [...order], nullable: false, never: true };
        if (seen.has(schema)) continue;
        seen.add(schema);
        const keys = Object.keys(schema);
        work -= 1 + keys.length + sizeOf(schema["properties"]);
        for (const key of keys) order.add(key);
        annotations = outermost(annotations, annotationsOf(schema));
        if (schema["nullable"] === true) nullable = true;
        references.push(...referencesOf(schema));
        if (Object.entries(schema).some(isConstraint)) constraints.push(schema);
        for (const key of ["anyOf", "oneOf"]) {
          const branches = schema[key];
          if (!Array.isArray(branches) || branches.length === 0) continue;
          unions.push(branches);
          work -= branches.length;
        }
        if (Array.isArray(schema["allOf"])) for (const part of schema["allOf"].toReversed()) queue.push(part);
        for (const key of dropped) if (key in schema) remark(`${key} is not sent`);
      }
      const empty = constraints.length === 0 && unions.length === 0;
      if (alias !== undefined && !empty) {
        return { annotations: {}, order: [...order], nullable: aliasNullable, options: [alias] };
      }
      const [first] = references;
      alias = empty && references.length === 1 && first !== undefined ? { ...first, annotations } : undefined;
      aliasNullable = nullable;
      waiting = references.map((reference) => reference.target).filter((target) => !seen.has(target));
    }
    return { annotations, order: [...order], nullable, constraints, unions };
  }

  function referencesOf(schema: Record<string, unknown>): readonly SchemaReference[] {
    return ["$ref", "$dynamicRef", "$recursiveRef"].flatMap((key) => {
      const reference = schema[key];
      if (typeof reference !== "string") return [];
      const target = document.resolve(reference);
      if (target === undefined) remark(`${reference.slice(0, 200)} does not resolve, so any value is accepted there`);
      if (target === undefined || target === true) return [];
      return [{ target: asSchema(target) || { not: {} }, name: reference, annotations: {} }];
    });
  }
}

interface Gathered {
  readonly annotations: Annotations;
  readonly order: readonly string[];
  readonly nullable: boolean;
  readonly constraints: readonly Record<string, unknown>[];
  readonly unions: readonly (readonly unknown[])[];
}

/** The maximum number of keys to read in total. */
const maxWork = 2_000_000;
/** The maximum number of options from nested unions. */
const maxOptions = 250;
/** Keywords that no provider fully supports and that cannot be merged. */
const dropped = ["not", "if", "dependentRequired", "dependentSchemas", "dependencies", "contains", "propertyNames"];
const typeWords = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/** A string is read as a type name; `{"not": {}}` and `false` allow no value; other values are ignored. */
function asSchema(value: unknown): Record<string, unknown> | false {
  if (typeof value === "string") return { type: typeWords.has(value) ? value : "object" };
  if (value === false) return false;
  if (!isObject(value)) return {};
  const { not } = value;
  if (not === true || (isObject(not) && Object.keys(not).length === 0)) return false;
  return value;
}

function isConstraint([key, value]: readonly [string, unknown]): boolean {
  return constraintKeywords.has(key) && value !== undefined;
}

function outermost(outer: Annotations, inner: Annotations): Annotations {
  return { ...inner, ...outer };
}

function sizeOf(value: unknown): number {
  return isObject(value) ? Object.keys(value).length : 0;
}

function options(match: readonly (Shape | SchemaReference)[] | undefined): Pick<SchemaReading, "options"> {
  return match === undefined ? {} : { options: match };
}

/** Returns the options of one branch, with the annotations of the branch. */
function labelled(branch: SchemaReading): readonly (Shape | SchemaReference)[] {
  const [first, ...others] = branch.options ?? [];
  if (first === undefined) return [];
  return [{ ...first, annotations: { ...first.annotations, ...branch.annotations } }, ...others];
}
