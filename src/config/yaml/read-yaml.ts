import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";

import type { Document, YAMLMap, Node } from "yaml";

import { codeOf } from "../../base/files/file-fault.ts";
import { checkJson, isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { plainYaml } from "../../base/yaml/plain-yaml.ts";
import { statSettingsFile } from "../keys/stat-settings-file.ts";
import type { Problem } from "../problem.ts";
import type { SettingsFile } from "./settings-file.ts";

export interface YamlFile extends SettingsFile {
  /** The text on disk, without the byte order mark. */
  readonly text: string;
  /** The byte order mark, or empty. */
  readonly mark: string;
  readonly document: Document;
}

/** Reads a settings file. `undefined`: it does not exist. Never throws, never writes. */
export async function readYaml(file: string): Promise<Result<YamlFile | undefined, readonly Problem[]>> {
  const bytes = await readBounded(file);
  if (!bytes.ok) return err([bytes.error]);
  return bytes.value === undefined ? ok(undefined) : parseYaml(file, bytes.value);
}

/** Like `readYaml`, but without the library if the file is plain. `check` may reject the bytes. */
export async function readSettingsFile(
  file: string,
  check: (bytes: Buffer | undefined) => Problem | undefined,
): Promise<Result<SettingsFile | undefined, readonly Problem[]>> {
  const bytes = await readBounded(file);
  if (!bytes.ok) return err([bytes.error]);
  const problem = check(bytes.value);
  if (problem) return err([problem]);
  return bytes.value === undefined ? ok(undefined) : parseSettings(file, bytes.value);
}

/** Like `readSettings`, for bytes in memory. */
export async function parseSettings(file: string, bytes: Buffer): Promise<Result<SettingsFile, readonly Problem[]>> {
  const plain = plainYaml(bytes.toString("latin1"));
  return plain ? ok({ file, ...plain }) : parseYaml(file, bytes);
}

/** The bytes of a regular file of at most 1 MB. `undefined`: no such file. */
export async function readBounded(file: string): Promise<Result<Buffer | undefined, Problem>> {
  try {
    const result = statSettingsFile(file);
    if (result === "nothing") return ok(undefined);
    if (result === "broken link")
      return err({ file, message: "is a symlink to a missing file", hint: "fix or remove the link" });
    if (result.isDirectory())
      return err({ file, message: "is a folder", hint: "move it away, because a file must have this path" });
    if (!result.isFile()) return err({ file, message: "is not a regular file", hint: "put a plain text file there" });
    if (result.size > maxBytes)
      return err({ file, message: `is larger than ${maxBytes / 1_000_000} MB`, hint: "shorten it" });
    return ok(readFileSync(file));
  } catch (thrown) {
    return failed(file, thrown);
  }
}

/** Like `readYaml`, for bytes in memory. */
export async function parseYaml(file: string, bytes: Buffer): Promise<Result<YamlFile, readonly Problem[]>> {
  const strange = strangeLine(bytes);
  if (strange !== undefined) return err([{ file, ...strange }]);
  const text = new TextDecoder().decode(bytes);
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { ...yamlOptions, lineCounter: lines, prettyErrors: false });
  const wrong = [...document.errors, ...document.warnings].slice(0, 3).map(({ code, message, pos }) => {
    return { message: `malformed YAML: ${sentence(code, message)}`, at: pos[0] };
  });
  const flaw = wrong.length === 0 ? await flawIn(document) : undefined;
  if (flaw !== undefined) wrong.push(flaw);
  if (wrong.length > 0) {
    const hint = "nothing was changed; correct the file and run this again";
    return err(wrong.map(({ message, at: offset }) => ({ file, ...placeAt(offset), message, hint })));
  }
  const tree = treeOf(document);
  if (!tree.ok) return err([{ file, message: tree.error }]);
  const pairs = new Map<unknown, ReadonlyMap<unknown, unknown>>();
  const place: YamlFile["place"] = (path) => {
    const parent = document.getIn(path.slice(0, -1), true);
    const key = isMap(parent) ? keysOf(parent).get(path.at(-1)) : undefined;
    const node = key ?? document.getIn(path, true);
    const range = isObject(node) && Array.isArray(node["range"]) ? (node["range"] as readonly number[]) : undefined;
    return range === undefined ? undefined : placeAt(range[0] ?? 0);
  };
  const mark = bytes.toString("utf8", 0, 3) === "\uFEFF" ? "\uFEFF" : "";
  return ok({ file, text, mark, document, tree: tree.value, place });

  function placeAt(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  }

  /** The keys of a map by name, computed once, because a file may have thousands. */
  function keysOf(map: YAMLMap): ReadonlyMap<unknown, unknown> {
    const knownNames = pairs.get(map);
    if (knownNames !== undefined) return knownNames;
    const matches = new Map(map.items.map(({ key }) => [isScalar(key) ? key.value : undefined, key]));
    pairs.set(map, matches);
    return matches;
  }
}

/**
 * Parser options: keys are texts, `<<` merges as in PyYAML, and only plain tags have a meaning. `flawIn` reports
 * duplicate keys.
 */
export const yamlOptions = {
  merge: true,
  stringKeys: true,
  uniqueKeys: false,
  resolveKnownTags: false,
  logLevel: "error",
} as const;

const maxBytes = 1_000_000;

function failed(file: string, thrown: unknown): Result<undefined, Problem> {
  const code = codeOf(thrown);
  // The file was deleted between stat and read.
  if (code === "ENOENT") return ok(undefined);
  if (code === "ENOTDIR") return err({ file, message: "cannot exist: a part of its path is a file, not a folder" });
  if (code === "EACCES" || code === "EPERM")
    return err({ file, message: "cannot be read by this user", hint: "check its owner and mode" });
  if (code === "ELOOP") return err({ file, message: "is a symlink to itself", hint: "fix or remove the link" });
  return err({ file, message: `cannot be read: ${reasonOf(thrown)}` });
}

/** The first line that is not text, if any. */
function strangeLine(bytes: Buffer): Pick<Problem, "line" | "message" | "hint"> | undefined {
  const nul = bytes.indexOf(0);
  const isText = isUtf8(bytes);
  if (nul === -1 && isText) return undefined;
  const lines = bytes.toString("latin1").split("\n");
  const strange = isText
    ? (line: string) => line.includes("\0")
    : (line: string) => !isUtf8(Buffer.from(line, "latin1"));
  const message = isText ? "holds a NUL character" : "is not UTF-8 text";
  return { line: lines.findIndex(strange) + 1, message, hint: isText ? "take it out" : "save it as UTF-8" };
}

function treeOf(document: Document): Result<JsonObject, string> {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    return err(`cannot be read: ${reasonOf(thrown)}`);
  }
  if (value === null || value === undefined) return ok({});
  const admitted = checkJson(value, { maxChars: 4_000_000, maxDepth: 64 });
  if (!admitted.ok) return admitted;
  if (isObject(admitted.value)) return ok(admitted.value);
  return err(`must hold keys and values, not ${Array.isArray(admitted.value) ? "a list" : "a single value"}`);
}

/** Rephrases messages of the library that repeat the text, which may be a secret without quotes. */
function sentence(code: string, message: string): string {
  switch (code) {
    case "RESOURCE_EXHAUSTION":
      return "it is nested too deeply";
    case "MULTIPLE_DOCS":
      return "more than one document; remove the `---`";
    case "TAG_RESOLVE_FAILED":
      return "an unknown tag; put text that starts with ! in quotes";
    case "NON_STRING_KEY":
      return "a key must be a text";
    case "UNEXPECTED_TOKEN":
    case "BAD_DQ_ESCAPE":
      return message.replace(/(?::| \\).*$/su, "");
    default:
      return message.replace(/ at line \d+, column \d+:?[^]*$/u, "");
  }
}

/** Well-formed YAML that is not valid as settings, with its position. */
interface YamlFlaw {
  readonly message: string;
  readonly at: number;
}

/**
 * The first flaw of a document, if any: a duplicate key, a key that JavaScript reserves, an alias without its anchor,
 * an invalid number. Its message repeats no value: an unquoted secret can look like an alias.
 */
async function flawIn(document: Document): Promise<YamlFlaw | undefined> {
  const { isAlias, isMap, isNode, isScalar, visit } = await import("yaml");
  const matches: YamlFlaw[] = [];
  const anchors = new Set<string>();
  visit(document, (_, node) => {
    if (isAlias(node) && !anchors.has(node.source))
      tell(node, "malformed YAML: an alias without its anchor; a text that begins with * needs quotes");
    if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value))
      tell(node, "a number must be finite");
    if (isMap(node)) visitKeys(node.items.map(({ key }) => key));
    if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    return matches.length > 0 ? visit.BREAK : undefined;
  });
  return matches[0];

  function visitKeys(keys: readonly unknown[]): void {
    const names = new Set<unknown>();
    for (const key of keys) {
      if (!isScalar(key)) continue;
      if (names.has(key.value)) tell(key, "malformed YAML: a duplicate key; it is in this section twice");
      if (key.value === "__proto__") tell(key, "the key __proto__ is not accepted");
      names.add(key.value);
    }
  }

  function tell(node: Node, message: string): void {
    matches.push({ message, at: node.range?.[0] ?? 0 });
  }
}
