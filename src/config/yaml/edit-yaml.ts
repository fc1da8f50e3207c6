import { isDeepStrictEqual } from "node:util";

import type { Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";

import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { valueAt, withValue } from "../keys/deprecated-keys.ts";
import { type KeyPath, keyText } from "../keys/key-path.ts";
import { parseYaml, type YamlFile, yamlOptions } from "./read-yaml.ts";

/**
 * Sets one value of a YAML file, or removes it when it is undefined. Changes only the bytes of that value if possible;
 * otherwise rewrites the file from its document, which keeps comments and order. Parses the result before returning it:
 * a result that differs from the requested change is an error.
 */
export async function editYaml(
  yaml: YamlFile,
  path: KeyPath,
  value: JsonValue | undefined,
): Promise<Result<YamlFile, string>> {
  const object = value === undefined ? pruned(yaml.tree, path) : withValue(yaml.tree, path, value);
  const tries = [() => splice(yaml, path, value), () => rewrite(yaml, path, value)];
  for (const attempt of tries) {
    const text = await attempt();
    if (text === undefined) continue;
    const read = await parseYaml(yaml.file, Buffer.from(text));
    if (read.ok && isDeepStrictEqual(read.value.tree, object)) return ok({ ...read.value, mark: yaml.mark });
  }
  return err(
    `${keyText(path)} cannot be changed without changing more (an anchor, alias or tag is involved); edit it by hand`,
  );
}

/** The style of a document: keeps long lines, and `[a]` or `[ a ]` as in the text. */
export function styleOf(text: string): { readonly lineWidth: 0; readonly flowCollectionPadding: boolean } {
  return { lineWidth: 0, flowCollectionPadding: /[[{] \S/u.test(text) };
}

/** The tree without the value, and without sections that this leaves empty. */
function pruned(tree: JsonObject, path: KeyPath): JsonObject {
  return withValue(tree, emptied(tree, path), undefined);
}

/** The path to remove so that no empty section remains. */
function emptied(tree: JsonObject, path: KeyPath): KeyPath {
  const parent = valueAt(tree, path.slice(0, -1));
  const alone = path.length > 1 && isObject(parent) && Object.keys(parent).length === 1;
  return alone ? emptied(tree, path.slice(0, -1)) : path;
}

async function splice(yaml: YamlFile, path: KeyPath, value: JsonValue | undefined): Promise<string | undefined> {
  const { isCollection, isMap, isScalar, isSeq, stringify } = await import("yaml");
  const { document, text } = yaml;
  const newline = text.includes("\r\n") ? "\r\n" : "\n";

  if (value === undefined) return cutOut(emptied(yaml.tree, path));
  const list = path.length > 1 ? document.getIn(path.slice(0, -1), true) : undefined;
  if (isSeq(list)) return setItem(list, Number(path.at(-1)), value);
  const pair = pairAt(path);
  if (pair !== undefined) return replace(pair, value);
  let depth = path.length - 1;
  while (depth > 0 && document.getIn(path.slice(0, depth), true) === undefined) depth -= 1;
  return insert(path.slice(0, depth), path.slice(depth), value);

  function pairAt(path: KeyPath): Pair<Scalar> | undefined {
    const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    return isMap(parent) ? pairsOf(parent).find(({ key }) => key.value === path.at(-1)) : undefined;
  }

  function pairsOf(map: YAMLMap): Pair<Scalar>[] {
    // The cast is safe: with `stringKeys` every key is a scalar.
    return map.items as Pair<Scalar>[];
  }

  function replace({ key, value: old }: Pair<Scalar>, next: JsonValue): string | undefined {
    const range = isScalar(old) || isCollection(old) ? old.range : undefined;
    if (!range || !(isScalar(old) || isCollection(old)) || old.anchor !== undefined || old.tag !== undefined)
      return undefined;
    const [from, to] = range;
    if (isSeq(old) && old.flow !== true && Array.isArray(next) && next.length > 0) return replaceItems(old, next);
    const isBlock = isCollection(old) ? old.flow !== true : isScalar(old) && old.type?.startsWith("BLOCK") === true;
    const style = isScalar(old) && typeof next === "string" ? old.type : undefined;
    const colon = text.indexOf(":", key.range?.[1] ?? 0) + 1;
    // The key has no value yet, or only a comment.
    if (from === to) return `${text.slice(0, colon)} ${inline(next)}${text.slice(colon)}`;
    if (!isBlock)
      return text.slice(0, from) + (text[from - 1] === ":" ? " " : "") + inline(next, style) + text.slice(to);
    const note = /#.*/u.exec(text.slice(colon, lineEnd(colon)).trimEnd())?.[0];
    const tail = text[to - 1] === "\n" ? newline : "";
    return `${text.slice(0, colon)} ${inline(next)}${note === undefined ? "" : ` ${note}`}${tail}${text.slice(to)}`;
  }

  function setItem(list: YAMLSeq, index: number, next: JsonValue): string | undefined {
    const old: unknown = list.items[index];
    if (
      isScalar(old) &&
      old.range &&
      old.anchor === undefined &&
      old.tag === undefined &&
      !old.type?.startsWith("BLOCK")
    ) {
      const [from, to] = old.range;
      return text.slice(0, from) + inline(next, old.type) + text.slice(to);
    }
    if (old !== undefined) return undefined;
    if (list.flow === true) return insertInFlow(list, rangeOf(list.items.at(-1))?.[1], inline(next));
    return replaceItems(list, [...(list.toJSON() as JsonValue[]), next]);
  }

  /** Keeps the lines of unchanged items at the start, with their comments. */
  function replaceItems(list: YAMLSeq, next: readonly JsonValue[]): string | undefined {
    const old = list.toJSON() as readonly unknown[];
    const differs = next.findIndex((item, index) => index >= old.length || !isDeepStrictEqual(item, old[index]));
    const kept = differs === -1 ? next.length : differs;
    const start = list.range?.[0];
    const end = rangeOf(list.items.at(-1))?.[1];
    const last = kept === 0 ? undefined : rangeOf(list.items[kept - 1])?.[1];
    if (start === undefined || end === undefined || (kept > 0 && last === undefined)) return undefined;
    const indent = " ".repeat(start - lineStart(start));
    const from = last === undefined ? lineStart(start) : toLineEnd(last);
    const gap = from > 0 && text[from - 1] !== "\n" ? newline : "";
    const lines = next.slice(kept).map((item) => `${indent}- ${inline(item)}${newline}`);
    return (
      text.slice(0, from) + (lines.length > 0 ? gap : "") + lines.join("") + text.slice(Math.max(from, toLineEnd(end)))
    );
  }

  function rangeOf(node: unknown): readonly number[] | undefined {
    return isScalar(node) || isCollection(node) ? (node.range ?? undefined) : undefined;
  }

  function insert(path: KeyPath, below: KeyPath, next: JsonValue): string | undefined {
    const parent = path.length === 0 ? document.contents : document.getIn(path, true);
    const isEmpty = parent === null || (isScalar(parent) && parent.value === null);
    if (isMap(parent) && parent.flow === true) {
      const added = below.length === 1 ? `${inline(String(below[0]))}: ${inline(next)}` : undefined;
      return added && insertInFlow(parent, rangeOf(parent.items.at(-1)?.value)?.[1], added);
    }
    if (isMap(parent) && parent.items.length > 0) {
      const first = pairsOf(parent)[0]?.key.range?.[0] ?? 0;
      return insertLines(endOf(parent), " ".repeat(first - lineStart(first)), below, next);
    }
    if (!isEmpty) return undefined;
    if (path.length === 0) return insertLines(text.length, "", below, next);
    const key = pairAt(path)?.key.range?.[0] ?? 0;
    return insertLines(lineEnd(key), `${" ".repeat(key - lineStart(key))}  `, below, next);
  }

  /** Inserts after the last entry, which ends at `last`, or as the only one. */
  function insertInFlow(parent: YAMLMap | YAMLSeq, last: number | undefined, added: string): string | undefined {
    if (last !== undefined) return `${text.slice(0, last)}, ${added}${text.slice(last)}`;
    const open = (parent.range?.[0] ?? 0) + 1;
    return parent.items.length === 0 ? text.slice(0, open) + added + text.slice(open) : undefined;
  }

  function insertLines(offset: number, indent: string, below: KeyPath, next: JsonValue): string {
    const gap = offset > 0 && text[offset - 1] !== "\n" ? newline : "";
    const lines = below.map((name, depth) => {
      const isLast = depth === below.length - 1;
      return `${indent}${"  ".repeat(depth)}${inline(String(name))}:${isLast ? ` ${inline(next)}` : ""}${newline}`;
    });
    return text.slice(0, offset) + gap + lines.join("") + text.slice(offset);
  }

  function cutOut(path: KeyPath): string | undefined {
    const parent = path.length === 1 ? document.contents : document.getIn(path.slice(0, -1), true);
    const pair = pairAt(path);
    const from = pair?.key.range?.[0];
    if (!isMap(parent) || pair === undefined || from === undefined) return undefined;
    if (parent.flow === true) return cutFromFlow(pairsOf(parent), pair, from);
    const isOwnLine = text.slice(lineStart(from), from).trim() === "";
    return isOwnLine ? text.slice(0, lineStart(from)) + text.slice(lineAfter(pair)) : undefined;
  }

  /** Removes an entry with the comma after it, or before it if it is the last. */
  function cutFromFlow(pairs: readonly Pair<Scalar>[], pair: Pair<Scalar>, from: number): string | undefined {
    const index = pairs.indexOf(pair);
    const next = pairs[index + 1]?.key.range?.[0];
    if (next !== undefined) return text.slice(0, from) + text.slice(next);
    const start = rangeOf(pairs[index - 1]?.value)?.[1];
    const end = rangeOf(pair.value)?.[1];
    return start === undefined || end === undefined ? undefined : text.slice(0, start) + text.slice(end);
  }

  /** The offset after the last line of a map. */
  function endOf(map: YAMLMap): number {
    const last = pairsOf(map).at(-1);
    return last === undefined ? text.length : lineAfter(last);
  }

  /** The offset after the last line of a pair, including its trailing comment. */
  function lineAfter({ key, value: node }: Pair<Scalar>): number {
    if (isCollection(node) && node.flow !== true) {
      const last: unknown = node.items.at(-1);
      if (isMap(node) && last !== undefined) return lineAfter(last as Pair<Scalar>);
      if (isMap(last) && last.flow !== true && last.items.length > 0) return endOf(last);
      const end = rangeOf(last)?.[1];
      if (end !== undefined) return toLineEnd(end);
    }
    return toLineEnd(Math.max(rangeOf(node)?.[1] ?? 0, key.range?.[1] ?? 0));
  }

  function toLineEnd(index: number): number {
    return text[index - 1] === "\n" ? index : lineEnd(index);
  }

  function lineStart(index: number): number {
    return text.lastIndexOf("\n", index - 1) + 1;
  }

  function lineEnd(index: number): number {
    const end = text.indexOf("\n", index);
    return end === -1 ? text.length : end + 1;
  }

  /**
   * Formats a value on one line that is also valid inside `[…]` and `{…}`. `compat` quotes words that YAML 1.1 reads as
   * booleans, because the Python version uses YAML 1.1.
   */
  function inline(next: JsonValue, style?: string | null): string {
    if (typeof next === "string" && style === "QUOTE_SINGLE" && !/['\r\n]/u.test(next)) return `'${next}'`;
    if (typeof next === "string" && (style === "QUOTE_DOUBLE" || /[\r\n]/u.test(next))) return JSON.stringify(next);
    const flow = stringify([next], {
      lineWidth: 0,
      collectionStyle: "flow",
      flowCollectionPadding: false,
      compat: "yaml-1.1",
    });
    return flow.trim().slice(1, -1).trim();
  }
}

async function rewrite(yaml: YamlFile, path: KeyPath, value: JsonValue | undefined): Promise<string | undefined> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(yaml.text, yamlOptions);
  try {
    if (value === undefined) document.deleteIn(emptied(yaml.tree, path));
    else {
      const head = path.findIndex((_, length) => length > 0 && valueAt(yaml.tree, path.slice(0, length)) === null);
      const length = head === -1 ? path.length : head;
      const below = path.slice(length).reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), value);
      document.setIn(path.slice(0, length), document.createNode(below));
    }
    const text = document.toString(styleOf(yaml.text));
    return yaml.text.includes("\r\n") ? text.replaceAll(/\r?\n/gu, "\r\n") : text;
  } catch {
    // The change removed the anchor of an alias.
    return undefined;
  }
}
