import { type KeyPath, keyText } from "../keys/key-path.ts";
import type { Problem } from "../problem.ts";
import { type Config, type KeyNode, nodeAt, type Section } from "../schema.ts";
import type { LayerValue } from "./layer.ts";
import { tighten } from "./tighten.ts";

/** The source of a value. `file`: the `.env` that holds an environment value. */
export type ValueOrigin =
  | { readonly from: "default" }
  | { readonly from: "user file" | "project file"; readonly file: string; readonly line?: number }
  | { readonly from: "environment"; readonly name: string; readonly file?: string }
  | { readonly from: "flag" };

export type OriginOf = (key: string) => ValueOrigin;
export type LayerValues = ReadonlyMap<string, LayerValue>;

export interface Merge {
  readonly origins: ReadonlyMap<string, ValueOrigin>;
  /** Later values override existing ones. */
  lay(values: LayerValues, origin: OriginOf): void;
  /**
   * Merges a project file, which may only tighten settings. Returns a problem for each value that would loosen one.
   */
  layProject(values: LayerValues, origin: OriginOf): readonly Problem[];
  /** Deeply frozen. */
  values(): Config;
}

/** Starts with the defaults. Add sources in ascending order of precedence. */
export function createMerge(root: Section): Merge {
  const origins = new Map<string, ValueOrigin>();
  const tree = defaults(root, []) as Tree;

  function defaults(node: KeyNode | undefined, path: KeyPath): unknown {
    if (node?.kind === "section") {
      return Object.fromEntries([...node.keys].map(([name, child]) => [name, defaults(child, [...path, name])]));
    }
    if (node?.kind === "family") {
      return Object.fromEntries(node.always.map((name) => [name, defaults(node.each, [...path, name])]));
    }
    if (node?.kind !== "leaf") return {};
    origins.set(keyText(path), { from: "default" });
    return Array.isArray(node.initial) ? [...node.initial] : node.initial;
  }

  function put(path: KeyPath, value: unknown, origin: ValueOrigin): void {
    let node = tree;
    for (const [index, step] of path.slice(0, -1).entries()) {
      const head = path.slice(0, index + 1);
      node[step] ??= defaults(nodeAt(root, head), head);
      node = node[step] as Tree;
    }
    node[path.at(-1) ?? ""] = value;
    origins.set(keyText(path), origin);
  }

  return {
    origins,
    lay(values, origin) {
      for (const [key, { path, value }] of values) put(path, value, origin(key));
    },
    layProject(values, origin) {
      const refused: Problem[] = [];
      for (const [key, { path, leaf, value }] of values) {
        const current = path.reduce<unknown>((node, step) => (node as Tree | undefined)?.[step], tree);
        const verdict = tighten(leaf, current, value);
        const place = origin(key);
        if (verdict.ok) put(path, verdict.value, place);
        else refused.push({ ...placeOf(place), key, message: `refused: ${verdict.error}` });
      }
      return refused;
    },
    // The cast is safe: every value passed its schema, and the defaults come from the schema.
    values: () => freeze(tree) as unknown as Config,
  };
}

type Tree = Record<string, unknown>;

function placeOf(origin: ValueOrigin): Pick<Problem, "file" | "line"> {
  if (origin.from !== "project file") return {};
  return origin.line === undefined ? { file: origin.file } : { file: origin.file, line: origin.line };
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const child of Object.values(value)) freeze(child);
    Object.freeze(value);
  }
  return value;
}
