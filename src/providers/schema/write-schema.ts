import type { JsonObject, JsonValue } from "../../base/json.ts";
import { cut } from "../../base/text/text.ts";
import { expandSchema, readDefinition } from "./expand.ts";
import type { ProviderRules } from "./provider-rules.ts";
import type { SchemaReading, SchemaReader } from "./read-schema.ts";
import {
  cleanName,
  type PropertyNames,
  hasRenames,
  mergeRenames,
  pruneRenames,
  type PropertyRenames,
} from "./renames.ts";
import { referenceName } from "./schema-document.ts";
import { isReference, type SchemaParts, type SchemaReference, type Shape } from "./shape.ts";
import { distinctBranches, joinObjects, joinOptions, withoutChildren } from "./unions.ts";
import { sortKeysLike, writeAnnotations, writeLiterals } from "./write-literals.ts";

export interface WriteLimits {
  /** True to keep references, if the provider accepts them. */
  readonly references: boolean;
  /** The maximum number of times that a definition may be nested in itself. */
  readonly recursion: number;
  /** The maximum depth of properties and items below the root. */
  readonly depth: number;
  /** Approximate size limit in characters; the writer stops there. */
  readonly budget: number;
}

export interface WriteDeps {
  readonly reader: SchemaReader;
  readonly rules: ProviderRules;
  readonly names: PropertyNames;
}

export interface WrittenSchema {
  readonly schema: JsonObject;
  readonly renames: PropertyRenames;
}

/** Writes the whole schema in the provider's format. Undefined if it exceeds the budget. */
export function writeSchema(root: unknown, limits: WriteLimits, deps: WriteDeps): WrittenSchema | undefined {
  const { reader, rules, names } = deps;
  const anyItems: SchemaParts = rules.untyped ? [true] : [anyButArray];
  const inlined = { keepReferences: false, recursion: limits.recursion, anyItems };
  const expansion = { ...inlined, keepReferences: limits.references && rules.references };
  const definitions = new Map<object, string>();
  const definitionNames = new Set<string>();
  let spent = 0;
  const isOver = (): boolean => spent > limits.budget || reader.exhausted();

  const { json, renames } = writeRoot();
  const defs: [string, JsonObject][] = [];
  const defRenames: [string, PropertyRenames][] = [];
  // Writing a definition may add others to the map; the loop visits them too.
  for (const [target, name] of definitions) {
    if (isOver()) return undefined;
    const written = writeReading(readDefinition(target, reader), 0, []);
    defs.push([name, written.json]);
    if (written.renames !== undefined) defRenames.push([name, written.renames]);
  }
  if (isOver()) return undefined;
  const schema = defs.length === 0 ? json : { ...json, $defs: Object.fromEntries(defs) };
  const all = pruneRenames({ ...renames, defs: Object.fromEntries(defRenames) });
  return { schema, renames: all !== undefined && hasRenames(all) ? all : {} };

  /** The top level is always one object, so the branches of a union are merged. */
  function writeRoot(): Node {
    const reading = reader.read([root]);
    const result = objectsOf(reading);
    const object = joinObjects(result.length > 0 ? result : objectsOf(reader.read([{ type: "object" }, root])));
    const annotations = { ...object.annotations, ...reading.annotations };
    return writeShape(
      { ...object, values: undefined, annotations, order: [...reading.order, ...object.order] },
      0,
      [],
      true,
    );
  }

  function objectsOf(reading: SchemaReading): readonly Shape[] {
    const { options } = expandSchema(reading, [], reader, inlined);
    return options?.flatMap((option) => (!isReference(option) && option.type === "object" ? [option] : [])) ?? [];
  }

  function writeReading(reading: SchemaReading, depth: number, trail: readonly object[]): Node {
    if (isOver()) return nothing;
    const { options, nullable } = expandSchema(reading, trail, reader, expansion);
    if (options === undefined) return writeAny(reading, depth);
    const joined = joinOptions(options);
    const branches = distinctBranches(
      joined.map((option) => {
        if (isReference(option)) return writeReference(option);
        return writeShape(
          depth > limits.depth ? withoutChildren(option, anyItems) : option,
          depth,
          option.trail,
          false,
        );
      }),
    );
    const [only, ...others] = branches;
    if (only === undefined) return { json: finish(reading, nullType()), renames: undefined };
    if (branches.length > maxBranches) return writeAny(reading, depth);
    const marked = nullable && rules.nullable;
    const renames = branches.reduce<PropertyRenames | undefined>(
      (sum, branch) => mergeRenames(sum, branch.renames),
      undefined,
    );
    if (others.length > 0) return { json: writeUnion(branches, marked, reading), renames };
    const legend = joined.map((option) => (isReference(option) ? undefined : option.legend))[0] ?? only.values;
    return { json: finish({ ...reading, legend }, marked ? { ...only.json, nullable: true } : only.json), renames };
  }

  function writeUnion(branches: readonly Node[], nullable: boolean, reading: SchemaReading): JsonObject {
    spent += nodeCost;
    const anyOf = branches.map((branch) => branch.json);
    const { besideUnion } = rules;
    if (besideUnion.size > 0) {
      const beside = Object.entries(reading.annotations).filter(([key]) => besideUnion.has(key));
      const json = { anyOf, ...(nullable && besideUnion.has("nullable") ? { nullable } : {}) };
      return finish({ ...reading, annotations: Object.fromEntries(beside) }, json);
    }
    // The provider allows no keywords next to the union, so its first branch without a description gets the
    // description.
    const { description } = reading.annotations;
    const free = Math.max(
      0,
      anyOf.findIndex((branch) => branch["description"] === undefined),
    );
    const describedBranches = anyOf.map((branch, index) => (index === free ? described(branch, description) : branch));
    return {
      anyOf: nullable ? describedBranches.map((branch) => Object.assign({}, branch, { nullable })) : describedBranches,
    };
  }

  /** Any value: an empty schema, or a union of all types if every node needs a type. */
  function writeAny(reading: SchemaReading, depth: number): Node {
    if (rules.untyped) return { json: finish(reading, {}), renames: undefined };
    const { annotations, order } = reading;
    return writeReading({ ...reader.read([anything]), annotations, order }, depth, []);
  }

  function nullType(): JsonObject {
    return rules.nullType ? { type: "null" } : { type: "string", nullable: true };
  }

  function writeReference(reference: SchemaReference): Node {
    const name = definitions.get(reference.target) ?? freeName(referenceName(reference.name));
    definitions.set(reference.target, name);
    spent += nodeCost;
    const json = { $ref: `#/$defs/${name}`, ...writeAnnotations(reference.annotations, rules, true) };
    return { json, renames: { refs: [name] } };
  }

  function freeName(preferred: string): string {
    const base = cleanName(preferred === "__proto__" ? "proto" : preferred);
    let name = base;
    for (let count = 2; definitionNames.has(name); count++) name = `${base}_${count}`;
    definitionNames.add(name);
    return name;
  }

  function writeShape(shape: Shape, depth: number, trail: readonly object[], isRoot: boolean): Node {
    const literals = writeLiterals(shape, rules);
    const values = shape.values !== undefined && literals["enum"] === undefined ? valuesText(shape.values) : undefined;
    const described = values === undefined ? shape : withValues(shape, values);
    spent += nodeCost + JSON.stringify(literals).length;
    const base: JsonObject = { type: shape.type, ...literals };
    if (shape.type === "array") {
      const items = writeReading(reader.read(shape.items ?? [true]), depth + 1, trail);
      return {
        json: finish(described, { ...base, items: items.json }),
        renames: pruneRenames({ items: items.renames }),
      };
    }
    if (shape.type !== "object") return { json: finish(described, base), renames: undefined, values };
    const object = writeObject(shape, depth, trail, isRoot);
    return { json: finish(described, { ...base, ...object.json }), renames: object.renames };
  }

  function writeObject(shape: Shape, depth: number, trail: readonly object[], isRoot: boolean): Node {
    const properties: [string, JsonObject][] = [];
    const given: [string, string][] = [];
    const inner: [string, PropertyRenames][] = [];
    for (const [real, parts] of shape.properties) {
      if (isOver()) break;
      const reading = reader.read(parts);
      if (reading.never === true && reading.options === undefined) continue;
      const name = names.sent(real);
      const written = writeReading(reading, depth + 1, trail);
      spent += name.length;
      properties.push([name, written.json]);
      if (name !== real) given.push([name, real]);
      if (written.renames !== undefined) inner.push([name, written.renames]);
    }
    const present = new Set(properties.map(([name]) => name));
    const required = shape.required.map((name) => names.sent(name)).filter((name) => present.has(name));
    const rest = writeRest(shape, depth, trail, !isRoot && present.size === 0);
    const json: JsonObject = {
      properties: Object.fromEntries(properties),
      ...(required.length > 0 || rules.emptyRequired ? { required } : {}),
      ...(rest === undefined ? {} : { additionalProperties: rest.json }),
    };
    const renames = { names: Object.fromEntries(given), properties: Object.fromEntries(inner), rest: rest?.renames };
    return { json, renames: pruneRenames(renames) };
  }

  function writeRest(
    shape: Shape,
    depth: number,
    trail: readonly object[],
    isBare: boolean,
  ): { readonly json: JsonValue; readonly renames: PropertyRenames | undefined } | undefined {
    if (!rules.keywords.has("additionalProperties")) return undefined;
    if (shape.rest === false) return { json: false, renames: undefined };
    if (shape.rest === undefined) {
      return isBare && !rules.openByDefault ? { json: true, renames: undefined } : undefined;
    }
    const reading = reader.read(shape.rest);
    if (reading.options === undefined) return { json: reading.never !== true, renames: undefined };
    return writeReading(reading, depth + 1, trail);
  }

  function finish(source: SchemaKeywords, json: JsonObject): JsonObject {
    const { description } = source.annotations;
    const text =
      source.legend === undefined ? {} : { description: [description, source.legend].filter(isText).join("\n") };
    const annotations = writeAnnotations({ ...source.annotations, ...text }, rules, "$ref" in json);
    spent += JSON.stringify(annotations).length;
    return sortKeysLike({ ...json, ...annotations }, source.order);
  }
}

interface Node {
  readonly json: JsonObject;
  readonly renames: PropertyRenames | undefined;
  /** Describes the allowed values in words if they cannot be sent as a list. */
  readonly values?: string | undefined;
}

interface SchemaKeywords extends Pick<Shape, "annotations" | "order"> {
  readonly legend?: string | undefined;
}

/** The cost of a node besides its texts. */
const nodeCost = 40;
/** The maximum number of options of a union. A larger union becomes any value. */
const maxBranches = 100;
const nothing: Node = { json: {}, renames: undefined };
const anyButArray = { type: ["string", "number", "boolean", "object"], nullable: true };
const anything = {
  anyOf: [...anyButArray.type.map((type) => ({ type })), { type: "array", items: anyButArray }],
  nullable: true,
};

function valuesText(values: readonly unknown[]): string {
  const text = `One of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  return text.length > 500 ? `${cut(text, 499)}…` : text;
}

/** Adds the allowed values to the description. */
function withValues({ annotations, order }: Shape, values: string): SchemaKeywords {
  return {
    annotations: { ...annotations, description: [annotations.description, values].filter(isText).join("\n") },
    order,
  };
}

function described(branch: JsonObject, description: string | undefined): JsonObject {
  const texts = [description, branch["description"]].filter(isText);
  return texts.length === 0 ? branch : { ...branch, description: texts.join(" ") };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
