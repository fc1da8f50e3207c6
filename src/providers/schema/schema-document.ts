import { isObject } from "../../base/json.ts";
import { valueOr } from "../../base/result.ts";

/** The original schema with its references. It may have any form and may be circular. */
export interface SchemaDocument {
  /** Returns the target of a reference, or undefined if it is remote or missing. */
  resolve(reference: string): unknown;
  /** All declared property names. */
  readonly propertyNames: ReadonlySet<string>;
}

export function openDocument(root: unknown): SchemaDocument {
  const named = new Map<string, unknown>();
  const definitions = new Map<string, unknown>();
  const propertyNames = new Set<string>();
  for (const node of everyObject(root)) {
    for (const key of ["$id", "id"]) keep(named, node[key], node);
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      if (typeof node[key] === "string") keep(named, `#${node[key]}`, node);
    }
    if (isObject(node["properties"])) for (const name of Object.keys(node["properties"])) propertyNames.add(name);
    for (const key of ["$defs", "definitions"]) {
      const group = node[key];
      if (isObject(group)) for (const [name, schema] of Object.entries(group)) keep(definitions, name, schema);
    }
  }
  const own = isObject(root) && typeof root["$id"] === "string" ? root["$id"] : "";

  return {
    propertyNames,
    resolve(reference) {
      const local = own !== "" && reference.startsWith(`${own}#`) ? reference.slice(own.length) : reference;
      if (local === "#" || local === own) return root;
      if (local.startsWith("#/")) return follow(root, local) ?? misplaced(local);
      return named.get(local);
    },
  };

  /** Resolves `#/$defs/X` if X is under `definitions` or inside a part of the schema. */
  function misplaced(pointer: string): unknown {
    const [, name] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
    return name === undefined ? undefined : definitions.get(segment(name));
  }
}

/** The last segment of a reference, used as the name of its target. */
export function referenceName(reference: string): string {
  const last = reference.slice(reference.lastIndexOf("/") + 1).replace(/^.*#/, "");
  return segment(last) || "root";
}

/** The limit far exceeds real schemas and protects against hostile ones. */
const maxObjects = 300_000;

function* everyObject(root: unknown): Generator<Record<string, unknown>> {
  const seen = new Set<unknown>();
  const waiting: unknown[] = [root];
  for (let node = waiting.pop(); node !== undefined && seen.size < maxObjects; node = waiting.pop()) {
    if (typeof node !== "object" || node === null || seen.has(node)) continue;
    seen.add(node);
    if (isObject(node)) yield node;
    const inside = Object.values(node).filter((value) => typeof value === "object" && value !== null);
    for (const value of inside.toReversed()) waiting.push(value);
  }
}

function keep(map: Map<string, unknown>, key: unknown, value: unknown): void {
  if (typeof key === "string" && !map.has(key)) map.set(key, value);
}

function follow(root: unknown, pointer: string): unknown {
  let node = root;
  for (const part of pointer.split("/").slice(1)) {
    if (typeof node !== "object" || node === null) return undefined;
    const key = segment(part);
    if (!Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

function segment(part: string): string {
  // Decoding fails for a name that contains a percent sign; then the name is used unchanged.
  const text = valueOr(() => decodeURIComponent(part), part);
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
