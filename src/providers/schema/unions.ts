import type { JsonObject } from "../../base/json.ts";
import { isReference, type SchemaParts, type SchemaReference, type Shape } from "./shape.ts";

/**
 * Merges a union of objects into one object with all properties. A property is required only if every member requires
 * it.
 */
export function joinObjects(shapes: readonly Shape[]): Shape {
  const [first, ...others] = shapes;
  if (first === undefined) return emptyObject;
  if (others.length === 0) return first;
  const properties = new Map<string, SchemaParts[]>();
  for (const shape of shapes) {
    for (const [name, parts] of shape.properties) {
      const collected = properties.get(name);
      if (collected === undefined) properties.set(name, [parts]);
      else if (!collected.some((other) => sameParts(other, parts))) collected.push(parts);
    }
  }
  const rests = shapes.map((shape) => shape.rest);
  const open = rests.some((rest) => rest === undefined);
  const lists = rests.filter((rest) => Array.isArray(rest));
  return {
    ...first,
    limits: {},
    properties: new Map([...properties].map(([name, choices]) => [name, choice(choices)])),
    required: first.required.filter((name) => others.every((other) => other.required.includes(name))),
    rest: open ? undefined : lists.length > 0 && choice(lists),
  };
}

/** Merges equivalent options: constants into one list, objects that differ only in `required` into one object. */
export function joinOptions<S extends Shape>(
  options: readonly (S | SchemaReference)[],
): readonly (S | SchemaReference)[] {
  const groups: [S | SchemaReference, ...S[]][] = [];
  for (const option of options) {
    const group = isReference(option)
      ? undefined
      : groups.find(([other]) => !isReference(other) && joins(other, option));
    if (group === undefined || isReference(option)) groups.push([option]);
    else group.push(option);
  }
  return groups.map(([first, ...others]) => {
    if (isReference(first) || others.length === 0) return first;
    return first.type === "object" ? joinRequired(first, others) : joinValues(first, others);
  });
}

export function withoutChildren<S extends Shape>(shape: S, items: SchemaParts): S {
  if (shape.type === "array") return { ...shape, items };
  const tells = shape.properties.size > 0 || (Array.isArray(shape.rest) && shape.rest.some((part) => part !== true));
  if (shape.type !== "object" || !tells) return shape;
  const description = shape.annotations.description ?? "Nested deeper than this schema shows.";
  const annotations = { ...shape.annotations, description };
  return { ...shape, annotations, properties: new Map(), required: [], rest: undefined };
}

export function distinctBranches<N extends { readonly json: JsonObject }>(nodes: readonly N[]): readonly N[] {
  if (nodes.length < 2) return nodes;
  return [...new Map(nodes.toReversed().map((node) => [JSON.stringify(node.json), node])).values()].toReversed();
}

const emptyObject: Shape = {
  type: "object",
  annotations: {},
  values: undefined,
  limits: {},
  properties: new Map(),
  required: [],
  rest: undefined,
  items: undefined,
  legend: undefined,
  order: [],
};

function choice(choices: readonly SchemaParts[]): SchemaParts {
  const [only, ...others] = choices;
  if (only !== undefined && others.length === 0) return only;
  return [{ anyOf: choices.map((parts) => (parts.length === 1 ? parts[0] : { allOf: parts })) }];
}

function sameParts(one: SchemaParts, other: SchemaParts): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}

function joins(one: Shape, other: Shape): boolean {
  if (one.type !== other.type) return false;
  if (one.type !== "object")
    return [one, other].every((shape) => shape.values && Object.keys(shape.limits).length === 0);
  return (
    one.properties.size === other.properties.size &&
    one.properties.size > 0 &&
    one.values === undefined &&
    other.values === undefined &&
    [...one.properties].every(([name, parts]) => sameParts(parts, other.properties.get(name) ?? []))
  );
}

function joinRequired<S extends Shape>(first: S, others: readonly S[]): S {
  const rest = [first, ...others].every((shape) => shape.rest === false) ? false : undefined;
  const required = first.required.filter((name) => others.every((other) => other.required.includes(name)));
  return { ...first, limits: {}, required, rest };
}

function joinValues<S extends Shape>(first: S, others: readonly S[]): S {
  const shapes = [first, ...others];
  const values = new Map(shapes.flatMap((shape) => shape.values ?? []).map((value) => [JSON.stringify(value), value]));
  const { description: _description, title: _title, ...annotations } = first.annotations;
  const legend = shapes
    .map(legendOf)
    .filter((line) => line !== "")
    .join("\n");
  return { ...first, annotations, values: [...values.values()], legend: legend === "" ? undefined : legend };
}

/** Returns the descriptions of single values, for the description of the merged list. */
function legendOf(shape: Shape): string {
  const text = shape.annotations.description ?? shape.annotations.title;
  return text === undefined ? "" : `${(shape.values ?? []).map(String).join(", ")}: ${text}`;
}
