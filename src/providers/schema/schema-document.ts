import { isObject } from "../../base/json.ts";

/** A schema as it came, with its references. Nothing of its form is assumed; it may contain itself. */
export interface SchemaDocument {
  /** What a reference points at, or undefined when it is remote or leads nowhere. */
  resolve(reference: string): unknown;
  /** Every property name that is declared anywhere. */
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

  /** `#/$defs/X` although X is under `definitions`, or inside a part of the schema. */
  function misplaced(pointer: string): unknown {
    const [, name] = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(pointer) ?? [];
    return name === undefined ? undefined : definitions.get(segment(name));
  }
}

/** The last word of a reference, as a name for what it points at. */
export function referenceName(reference: string): string {
  const last = reference.slice(reference.lastIndexOf("/") + 1).replace(/^.*#/, "");
  return segment(last) || "root";
}

/** Far more than a schema that anyone wrote has; bounds the time that a hostile one takes. */
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
  let text = part;
  try {
    text = decodeURIComponent(part);
  } catch {
    // Not percent-encoded after all: a name with a percent sign.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
