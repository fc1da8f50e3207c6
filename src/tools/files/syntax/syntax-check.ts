import { basename, dirname } from "node:path";

import type { Document, Node } from "yaml";

import { reasonOf } from "../../../base/result.ts";
import { oneLine } from "../../../base/text/text.ts";
import { placeIn, type TextFault, type TextPlace } from "./text-fault.ts";

/** The error in a new text for a data file, or a note that its content differs from its name. */
export type SyntaxVerdict =
  | { readonly kind: "good" }
  | { readonly kind: "odd"; readonly note: string }
  | { readonly kind: "broken"; readonly format: string; readonly why: string; readonly place: TextPlace };

/**
 * Checks the new text of a JSON, YAML or TOML file, by its name. A text that did not parse before may stay invalid, so
 * that it can be repaired step by step. A template may be invalid too, if it parses without its tags, or if its tags
 * determine which lines exist.
 */
export async function checkSyntax(path: string, before: string | undefined, after: string): Promise<SyntaxVerdict> {
  const named = formatOf(path);
  if (!named) return { kind: "good" };
  // If the file already has comments, the program that reads it accepts them.
  const format = named === json && before !== undefined && hasComments(plain(before)) ? jsonWithComments : named;
  if (after.length > format.mostChars)
    return { kind: "odd", note: `It is too long to check that it is ${format.name}.` };
  const text = plain(after);
  const fault = await format.fault(text);
  if (!fault) return { kind: "good" };
  const place = placeIn(text, fault.at);
  const why = oneLine(fault.why, 200);
  const where = `line ${place.line}, column ${place.column}: ${why}`;
  const wasBroken =
    before !== undefined &&
    before.trim() !== "" &&
    before.length <= format.mostChars &&
    (await format.fault(plain(before)));
  if (wasBroken) return { kind: "odd", note: `It is not valid ${format.name}, and was not valid before: ${where}.` };
  const filled = withoutTemplateMarks(text);
  if (filled !== undefined && (hasTemplateBranches(text) || !(await format.fault(filled))))
    return {
      kind: "odd",
      note: `It is a template, and not valid ${format.name} until the placeholders are filled in: ${where}.`,
    };
  return { kind: "broken", format: format.name, why: why + (format.hint?.(text) ?? ""), place };
}

function hasComments(text: string): boolean {
  return jsonFault(text) !== undefined && jsonWithCommentsFault(text) === undefined;
}

interface Format {
  readonly name: string;
  /** The maximum length. Parsing a longer text would block other work. */
  readonly mostChars: number;
  fault(text: string): TextFault | undefined | Promise<TextFault | undefined>;
  hint?(text: string): string;
}

const json: Format = {
  name: "JSON",
  mostChars: 20_000_000,
  fault: jsonFault,
  hint: (text) => (jsonWithCommentsFault(text) ? "" : " (comments and last commas belong in .jsonc)"),
};
const jsonWithComments: Format = { name: "JSON with comments", mostChars: 20_000_000, fault: jsonWithCommentsFault };
const yaml: Format = { name: "YAML", mostChars: 1_000_000, fault: yamlFault };
const toml: Format = { name: "TOML", mostChars: 10_000_000, fault: tomlFault };

function formatOf(path: string): Format | undefined {
  const name = basename(path).toLowerCase();
  const [, ending] = /\.(\w+(?:-workspace)?)$/u.exec(name) ?? [];
  switch (ending) {
    case "json":
      return commented.test(name) || commentedFolders.has(basename(dirname(path))) ? jsonWithComments : json;
    case "ipynb":
      return json;
    case "jsonc":
    case "code-workspace":
      return jsonWithComments;
    case "yaml":
    case "yml":
      return yaml;
    case "toml":
      return toml;
    default:
      return undefined;
  }
}

/** `.json` files for which comments are accepted. */
const commented =
  /^(?:[tj]sconfig\b.*|.*\.tsconfig|devcontainer|\.?(?:eslint|oxlint|swc|babel|jshint|jscs|markdownlint)rc|\.(?:markdownlint|devcontainer)|api-extractor|deno|biome|turbo|nx|rush|angular|typedoc|tslint|wrangler|firebase|renovate|language-configuration)\.json$/u;
const commentedFolders: ReadonlySet<string> = new Set([".vscode", ".zed", ".devcontainer"]);

function plain(text: string): string {
  return text.replace(/^\ufeff/u, "");
}

/**
 * Returns a template (Helm, Jinja, ERB) with each tag replaced by a value, and tags alone on their lines by spaces.
 * Undefined for a text without tags, and for a very long one. Offsets stay the same.
 */
function withoutTemplateMarks(text: string): string | undefined {
  if (text.length > maxChars || !/\{\{|\{%|<%/u.test(text)) return undefined;
  const plain = text.replace(mark, (match, offset: number) => {
    const isValue = match.startsWith("{{") || match.startsWith("<%=");
    return isValue && !isAlone(text, offset, offset + match.length) ? `0${blank(match.slice(1))}` : blank(match);
  });
  return plain === text ? undefined : plain;
}

/** Returns whether the text has tags that control the output, so that it need not parse before rendering. */
function hasTemplateBranches(text: string): boolean {
  return /\{%|<%[^=]|\{\{-?\s*(?:if|else|end|range|with|define|template|include|block|tpl|toYaml|\/\*|#|\/)/u.test(
    text,
  );
}

function isAlone(text: string, start: number, end: number): boolean {
  return (
    /(?:^|\n)[ \t]*$/u.test(text.slice(Math.max(0, start - 200), start)) &&
    /^[ \t]*(?:\r?\n|$)/u.test(text.slice(end, end + 200))
  );
}

function blank(text: string): string {
  return text.replace(/[^\r\n]/gu, " ");
}

const mark = /\{\{[^]{0,500}?\}\}|\{%[^]{0,500}?%\}|<%[^]{0,500}?%>/gu;
const maxChars = 1_000_000;

/** Returns position and reason of a TOML error. Undefined if the text is valid. */
async function tomlFault(text: string): Promise<TextFault | undefined> {
  const { parse, TomlError } = await import("smol-toml");
  try {
    parse(text, { integersAsBigInt: "asNeeded" });
    return undefined;
  } catch (thrown) {
    const [message = ""] = reasonOf(thrown).split("\n");
    const why = message.replace(/^Invalid TOML document: /u, "");
    return { at: thrown instanceof TomlError ? offsetOf(text, thrown.line, thrown.column) : 0, why };
  }
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let nth = 1; nth < line; nth++) start = text.indexOf("\n", start) + 1;
  return Math.min(text.length, start + column - 1);
}

/**
 * Returns position and reason of a YAML error in any document, with any tags. A duplicate key and an alias without its
 * anchor are errors, as in most parsers. Undefined if the text is valid.
 */
async function yamlFault(text: string): Promise<TextFault | undefined> {
  const { parseAllDocuments } = await import("yaml");
  let documents: readonly Document.Parsed[];
  try {
    // Duplicates are checked below, because the library would compare each key with every other one.
    const parsed = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, logLevel: "silent" });
    documents = "empty" in parsed ? [] : parsed;
  } catch (thrown) {
    return { at: 0, why: reasonOf(thrown) };
  }
  for (const document of documents) {
    const [first] = document.errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
    if (first) return { at: Math.min(first.pos[0], text.length), why: first.message };
    const flaw = await flawIn(document);
    if (flaw) return flaw;
  }
  return undefined;
}

async function flawIn(document: Document): Promise<TextFault | undefined> {
  const { isAlias, isMap, isNode, isScalar, visit } = await import("yaml");
  const anchors = new Set<string>();
  const match: TextFault[] = [];
  const tell = (node: Node, why: string) => void match.push({ at: node.range?.[0] ?? 0, why });
  try {
    visit(document, (_, node) => {
      if (isAlias(node) && !anchors.has(node.source))
        tell(node, `*${node.source} has no anchor &${node.source} above it`);
      if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
      if (isMap(node)) {
        const keys = new Set<unknown>();
        for (const { key } of node.items) {
          if (!isScalar(key) || key.value === mergeKey) continue;
          if (keys.has(key.value)) tell(key, `the key ${String(key.value)} is here twice`);
          keys.add(key.value);
        }
      }
      return match.length > 0 ? visit.BREAK : undefined;
    });
  } catch (thrown) {
    return { at: 0, why: reasonOf(thrown) };
  }
  return match[0];
}

const mergeKey = "<<";

/** Returns position and reason of a JSON error. Undefined if the text is valid. */
export function jsonFault(text: string): TextFault | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (thrown) {
    return { at: faultAt(text), why: reasonOf(thrown).replace(/ (?:in JSON )?at position .*$/su, "") };
  }
}

/** Like `jsonFault`, for JSON with comments and trailing commas, as many tools accept it. */
export function jsonWithCommentsFault(text: string): TextFault | undefined {
  return jsonFault(text.replace(commentOrString, blankedComment).replace(commaOrString, blankedComma));
}

/** Returns the first character at which no JSON text can continue. The parser does not always report it. */
function faultAt(text: string): number {
  const skip = skipperIn(text);
  const open: ("object" | "array")[] = [];
  let index = 0;
  let expected: Expected = "value";
  for (;;) {
    index = skip.blanks(index);
    const char = text[index];
    if (char === undefined) return index;
    const inside = open.at(-1);
    if (expected === "value" || expected === "value or end") {
      if (char === "{" || char === "[") {
        open.push(char === "{" ? "object" : "array");
        expected = char === "{" ? "name or end" : "value or end";
        index++;
        continue;
      }
      if (char !== "]" || expected === "value") {
        const end = char === '"' ? skip.string(index) : skip.word(index);
        if (end === index) return index;
        index = end;
        expected = "comma or end";
        continue;
      }
    } else if (expected === "name" || expected === "name or end") {
      if (char !== "}" || expected === "name") {
        const end = skip.blanks(skip.string(index));
        if (text[end] !== ":") return index;
        index = end + 1;
        expected = "value";
        continue;
      }
    } else if (char === "," && inside !== undefined) {
      expected = inside === "object" ? "name" : "value";
      index++;
      continue;
    }
    if (inside === undefined || char !== (inside === "object" ? "}" : "]")) return index;
    open.pop();
    expected = "comma or end";
    index++;
  }
}

type Expected = "value" | "value or end" | "name" | "name or end" | "comma or end";

/** Each function returns the end of a part, or the same offset if the part is missing. */
function skipperIn(text: string): Readonly<Record<"blanks" | "word" | "string", (offset: number) => number>> {
  const blanks = /[ \t\r\n]*/uy;
  const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/uy;
  // A JSON string must not contain control characters.
  // oxlint-disable-next-line no-control-regex
  const special = /["\\\u0000-\u001f]/gu;
  const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/uy;
  const skip = (pattern: RegExp) => (position: number) => {
    pattern.lastIndex = position;
    return pattern.test(text) ? pattern.lastIndex : position;
  };
  const skipEscape = skip(escape);
  return {
    blanks: skip(blanks),
    word: skip(word),
    string(start) {
      if (text[start] !== '"') return start;
      for (let offset = start + 1; ;) {
        special.lastIndex = offset;
        const match = special.exec(text);
        if (match?.[0] === '"') return match.index + 1;
        if (match?.[0] !== "\\") return start;
        offset = skipEscape(match.index);
        if (offset === match.index) return start;
      }
    },
  };
}

// An unclosed comment or string extends to the end, which keeps the search linear.
const commentOrString = /"(?:[^"\\\n]+|\\.)*"?|\/\/[^\n]*|\/\*(?:[^]*?\*\/|[^]*)/gu;
const commaOrString = /"(?:[^"\\\n]+|\\.)*"?|(?<![[{,]\s*),(?=\s*[\]}])/gu;

function blankedComment(match: string): string {
  const isComment = match.startsWith("//") || (match.startsWith("/*") && match.length > 3 && match.endsWith("*/"));
  return isComment ? match.replace(/[^\n]/gu, " ") : match;
}

function blankedComma(match: string): string {
  return match === "," ? " " : match;
}
