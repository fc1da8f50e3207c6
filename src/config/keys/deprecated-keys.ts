import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { type KeyPath, keyText } from "./key-path.ts";

export interface DeprecatedKey {
  readonly from: KeyPath;
  readonly to: KeyPath;
  /** Undefined: the value stays the same. */
  readonly convert?: (value: JsonValue) => JsonValue;
}

/** Keys of older configurations, with their replacements. */
export const deprecatedKeys: readonly DeprecatedKey[] = [
  { from: ["max_turns"], to: ["agent", "max_turns"] },
  { from: ["disabled_toolsets"], to: ["agent", "disabled_toolsets"] },
  { from: ["personalities"], to: ["agent", "personalities"] },
  {
    from: ["fallback_model"],
    to: ["fallback_providers"],
    convert: (value) => (Array.isArray(value) ? value : [value]),
  },
  { from: ["terminal", "env_type"], to: ["terminal", "backend"] },
  { from: ["compression", "enabled"], to: ["compression", "auto"] },
  { from: ["compression", "summary_model"], to: ["auxiliary", "compression", "model"] },
  { from: ["compression", "summary_provider"], to: ["auxiliary", "compression", "provider"] },
  { from: ["compression", "summary_base_url"], to: ["auxiliary", "compression", "base_url"] },
  {
    from: ["display", "tool_progress_overrides"],
    to: ["display", "platforms"],
    convert: (value) =>
      isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, mode]) => [name, { tool_progress: mode }]))
        : value,
  },
];

/** The move of one deprecated key in a file. `drop`: the new key is also set and takes precedence. */
export interface KeyMove {
  readonly key: DeprecatedKey;
  readonly value: JsonValue;
  readonly drop: boolean;
}

export function keyMoves(tree: JsonObject): readonly KeyMove[] {
  return deprecatedKeys.flatMap((key) => {
    const old = valueAt(tree, key.from);
    if (old === undefined) return [];
    return [{ key, value: key.convert?.(old) ?? old, drop: valueAt(tree, key.to) !== undefined }];
  });
}

/** The tree with deprecated keys moved to their new names. Does not change the file. */
export function moveDeprecatedKeys(tree: JsonObject): {
  readonly tree: JsonObject;
  readonly notices: readonly string[];
} {
  const moves = keyMoves(tree);
  const next = moves.reduce((object, { key, value, drop }) => {
    const without = withValue(object, key.from, undefined);
    return drop ? without : withValue(without, key.to, value);
  }, tree);
  return { tree: next, notices: moves.map(moveText) };
}

export function moveText({ key, drop }: KeyMove): string {
  return drop
    ? `${keyText(key.from)} is deprecated and ignored, because ${keyText(key.to)} is set`
    : `${keyText(key.from)} is now ${keyText(key.to)}`;
}

export function valueAt(tree: JsonValue, path: KeyPath): JsonValue | undefined {
  let value: JsonValue | undefined = tree;
  for (const step of path) {
    if (Array.isArray(value)) value = typeof step === "number" ? (value[step] as JsonValue | undefined) : undefined;
    else if (isObject(value) && Object.hasOwn(value, step)) value = value[step] as JsonValue;
    else return undefined;
  }
  return value;
}

/** A copy with one value set, or removed if undefined. */
export function withValue(tree: JsonObject, path: KeyPath, value: JsonValue | undefined): JsonObject {
  return putValue(tree, path, value) as JsonObject;
}

function putValue(node: JsonValue | undefined, path: KeyPath, value: JsonValue | undefined): JsonValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (Array.isArray(node) && typeof step === "number") {
    const child = putValue(node[step] as JsonValue | undefined, rest, value);
    return child === undefined ? node.toSpliced(step, 1) : node.toSpliced(step, 1, child);
  }
  const object = isObject(node) ? node : {};
  const { [step]: old, ...others } = object;
  const child = putValue(old, rest, value);
  if (child === undefined) return others;
  return { ...object, [step]: child };
}
