import { isObject, type JsonObject, type JsonValue, ownValue } from "../../base/json.ts";

/**
 * Maps arguments back to their real property names: a tree with the structure of the schema that contains only nodes
 * with renamed properties. Empty: nothing was renamed.
 */
export interface PropertyRenames {
  /** The real names, by the names that were sent. */
  readonly names?: Readonly<Record<string, string>>;
  /** Properties by the name that was sent. */
  readonly properties?: Readonly<Record<string, PropertyRenames>>;
  readonly rest?: PropertyRenames;
  readonly items?: PropertyRenames;
  /** Definitions that also apply at this node. */
  readonly refs?: readonly string[];
  /** The definitions. Set only at the root. */
  readonly defs?: Readonly<Record<string, PropertyRenames>>;
}

/**
 * Restores the tool's argument names. Never throws or mutates. Returns very deep
 * levels unchanged.
 */
export function restoreArguments(args: JsonObject, renames: PropertyRenames): JsonObject {
  const defs = renames.defs ?? {};
  const restored = restore(args, renames, 0);
  return isObject(restored) ? restored : args;

  function restore(value: JsonValue, match: PropertyRenames | undefined, depth: number): JsonValue {
    if (match === undefined || depth > maxDepth || typeof value !== "object" || value === null) return value;
    const here = (match.refs ?? []).reduce((sum, name) => mergeRenames(sum, ownValue(defs, name)) ?? {}, match);
    if (Array.isArray(value)) {
      return here.items === undefined ? value : value.map((item: JsonValue) => restore(item, here.items, depth + 1));
    }
    if (here.names === undefined && here.properties === undefined && here.rest === undefined) return value;
    const entries = Object.entries(value).map(([name, item]): [string, JsonValue] => [
      ownValue(here.names, name) ?? name,
      restore(item, ownValue(here.properties, name) ?? here.rest, depth + 1),
    ]);
    return Object.fromEntries(entries);
  }
}

/**
 * Merges two trees, for example of the branches of a union. Names are unique in a schema, so there are no conflicts.
 */
export function mergeRenames(
  one: PropertyRenames | undefined,
  other: PropertyRenames | undefined,
): PropertyRenames | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const properties = { ...one.properties };
  for (const [name, inner] of Object.entries(other.properties ?? {})) {
    properties[name] = mergeRenames(ownValue(properties, name), inner) ?? inner;
  }
  const items = mergeRenames(one.items, other.items);
  const rest = mergeRenames(one.rest, other.rest);
  const refs = [...new Set([...(one.refs ?? []), ...(other.refs ?? [])])];
  return pruneRenames({ names: { ...one.names, ...other.names }, properties, items, rest, refs });
}

/** Removes empty parts. Returns undefined if nothing is left. */
export function pruneRenames(renames: {
  readonly [K in keyof PropertyRenames]: PropertyRenames[K] | undefined;
}): PropertyRenames | undefined {
  const entries = Object.entries(renames).filter(([, value]) => value !== undefined && Object.keys(value).length > 0);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

export function hasRenames(renames: PropertyRenames | undefined): boolean {
  if (renames === undefined) return false;
  const { names, properties = {}, rest, items, defs = {} } = renames;
  const inner = [rest, items, ...Object.values(properties), ...Object.values(defs)];
  return names !== undefined || inner.some(hasRenames);
}

const maxDepth = 500;

/** Assigns names that every provider accepts, unique in the schema, so that each maps back to one real name. */
export interface PropertyNames {
  /** Returns the name under which a property is sent. The result is always the same for the same name. */
  sent(real: string): string;
}

export function createPropertyNames(usedNames: ReadonlySet<string>, reserved: ReadonlySet<string>): PropertyNames {
  const given = new Map<string, string>();
  const used = new Set<string>();
  const fine = (name: string): boolean => validName.test(name) && !reserved.has(name) && name !== "__proto__";
  return {
    sent(real) {
      if (fine(real)) return real;
      const existing = given.get(real);
      if (existing !== undefined) return existing;
      const base = cleanName(real);
      let name = base;
      for (let count = 2; !fine(name) || usedNames.has(name) || used.has(name); count++) {
        const suffix = `_${count}`;
        name = base.slice(0, maxChars - suffix.length) + suffix;
      }
      given.set(real, name);
      used.add(name);
      return name;
    },
  };
}

/** Allows only letters, digits, `_`, `.` and `-`, from 1 to 64 characters. */
export function cleanName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_.-]/gu, "_").slice(0, maxChars) || "_";
}

const maxChars = 64;
const validName = /^[A-Za-z0-9_.-]{1,64}$/;
