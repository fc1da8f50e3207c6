import type { JsonObject, JsonValue } from "../json.ts";
import { type FlowJson, flowJson, type YamlPath } from "./flow-json.ts";

/** The values of a file with their positions. */
export interface PlainYaml {
  readonly tree: JsonObject;
  /** The position of a key or an item; undefined if it is missing. */
  place(path: YamlPath): YamlPlace | undefined;
}

interface YamlPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * Parses YAML as most settings files and manifests use it: sections by indentation, one key per line, lists of plain values, words in
 * brackets, JSON on one line, comments. Undefined for all other YAML, valid or not: the library parses that, but
 * loading it takes longer than reading all settings.
 */
export function plainYaml(text: string): PlainYaml | undefined {
  const places = new Map<string, YamlPlace>();
  const lines = linesOf(text);
  const tree = lines && readSections(lines, places);
  return tree && { tree, place: (path) => places.get(keyOf(path)) };
}

interface Line {
  readonly number: number;
  readonly indent: number;
  /** Undefined: an item of a list. */
  readonly key: string | undefined;
  /** Undefined: the value is below the key. */
  readonly value: JsonValue | undefined;
  /** The columns of keys and items in brackets. */
  readonly columns: readonly (readonly [YamlPath, number])[];
}

type Scalar = string | number | boolean;

const printed = /^[\x20-\x7e\n]*$/u;
const keyLine = /^( *)([A-Za-z][\w-]*):(?: +(.+))?$/u;
const itemLine = /^( *)- (.+)$/u;

function linesOf(text: string): readonly Line[] | undefined {
  if (!printed.test(text)) return undefined;
  const lines: Line[] = [];
  for (const [index, written] of text.split("\n").entries()) {
    const line = written.trimEnd();
    if (/^ *(?:#|$)/u.test(line)) continue;
    const read = readLine(line.replace(/(^ *[\w-]+:) +#.*$/u, "$1"), index + 1);
    if (!read) return undefined;
    lines.push(read);
  }
  return lines;
}

function readLine(line: string, number: number): Line | undefined {
  const item = itemLine.exec(line);
  const [, spaces = "", key, rest] = item ? [line, item[1], undefined, item[2]] : (keyLine.exec(line) ?? []);
  if (!item && (key === undefined || otherMeaning.test(key))) return undefined;
  if (rest === undefined) return { number, indent: spaces.length, key, value: undefined, columns: [] };
  const flow = /^[[{]/u.test(rest) ? (wordsOf(rest) ?? flowJson(rest)) : undefined;
  if (item && flow && flow.places.length > 0) return undefined;
  const value = flow ? flow.value : scalarOf(rest);
  if (value === undefined) return undefined;
  const first = line.length - rest.length + 1;
  const columns = flow?.places.map(([path, offset]) => [path, first + offset] as const) ?? [];
  return { number, indent: spaces.length, key, value, columns };
}

/** A list of plain words in brackets. */
function wordsOf(rest: string): FlowJson | undefined {
  if (!wordList.test(rest)) return undefined;
  const words = [...rest.matchAll(/[^[\], ]+/gu)];
  const items = words.flatMap(([word]) => scalarOf(word) ?? []);
  if (items.length < words.length) return undefined;
  return { value: items, places: words.map((word, index) => [[index], word.index]) };
}

const wordList = /^\[ *(?:--?(?=[A-Za-z]))?[A-Za-z0-9][\w./-]*(?: *, *(?:--?(?=[A-Za-z]))?[A-Za-z0-9][\w./-]*)* *\]$/u;

const quotedScalar = /^(?:"([^"\\]*)"|'([^']*)')(?: +#.*)?$/u;
const plainScalar = /^((?:--?(?=[A-Za-z]))?[A-Za-z0-9/](?:[\w./@+=%~-]|:(?! |$)| (?! *#| *$))*)(?: +#.*)?$/u;
/** Unquoted words that YAML parsers may read as another type than text. */
const otherMeaning = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;
const decimal = /^(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/u;

function scalarOf(rest: string): Scalar | undefined {
  const quoted = quotedScalar.exec(rest);
  if (quoted) return quoted[1] ?? quoted[2];
  const word = plainScalar.exec(rest)?.[1];
  if (word === undefined) return undefined;
  if (word === "true" || word === "false") return word === "true";
  if (otherMeaning.test(word)) return undefined;
  if (/^[A-Za-z/-]/u.test(word)) return word;
  return decimal.test(word) ? Number(word) : undefined;
}

interface Section {
  readonly indent: number;
  readonly path: YamlPath;
  readonly content: { [key: string]: JsonValue } | JsonValue[];
}

function readSections(lines: readonly Line[], places: Map<string, YamlPlace>): JsonObject | undefined {
  const tree: Record<string, JsonValue> = {};
  const open: Section[] = [{ indent: lines[0]?.indent ?? 0, path: [], content: tree }];
  for (const [index, line] of lines.entries()) {
    while ((open.at(-1)?.indent ?? 0) > line.indent || isOverAt(open, line)) open.pop();
    const section = open.at(-1);
    if (section?.indent !== line.indent || open.length > deepest) return undefined;
    const { path, content } = section;
    const { key, value, number, indent, columns } = line;
    if (index === 0) places.set(keyOf([]), { line: number, column: indent + 1 });
    if (Array.isArray(content)) {
      if (key !== undefined || value === undefined) return undefined;
      places.set(keyOf([...path, content.length]), { line: number, column: indent + 3 });
      content.push(value);
      continue;
    }
    if (key === undefined || Object.hasOwn(content, key)) return undefined;
    places.set(keyOf([...path, key]), { line: number, column: indent + 1 });
    for (const [inner, column] of columns) places.set(keyOf([...path, key, ...inner]), { line: number, column });
    if (value !== undefined) content[key] = value;
    else {
      const below = sectionBelow(line, lines[index + 1], [...path, key]);
      if (!below) return undefined;
      content[key] = below.content;
      open.push(below);
    }
  }
  return tree;
}

/** A list may have the same indentation as its key; the next key ends it. */
function isOverAt(open: readonly Section[], { indent, key }: Line): boolean {
  const last = open.at(-1);
  return last !== undefined && Array.isArray(last.content) && last.indent === indent && key !== undefined;
}

function sectionBelow({ indent }: Line, next: Line | undefined, path: YamlPath): Section | undefined {
  if (!next || next.indent < indent || (next.indent === indent && next.key !== undefined)) return undefined;
  return { indent: next.indent, path, content: next.key === undefined ? [] : {} };
}

const deepest = 20;

function keyOf(path: YamlPath): string {
  return path.join("\n");
}
