import { readFileSync } from "node:fs";

import type { Document } from "yaml";

import { codeOf } from "../base/file-fault.ts";
import { admit, isObject, type JsonObject } from "../base/json.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { KeyPath } from "./key-path.ts";
import { lookAt } from "./look-at.ts";
import type { Problem } from "./problem.ts";

export interface YamlFile {
  readonly file: string;
  /** As it is on the disk, without the byte order mark. */
  readonly text: string;
  /** The byte order mark, or nothing. */
  readonly mark: string;
  readonly document: Document;
  readonly tree: JsonObject;
  /** Where a key is written; nothing when it comes from an alias or is not there. */
  place(path: KeyPath): { readonly line: number; readonly column: number } | undefined;
}

/** Reads a file of settings. `undefined`: there is none. Never throws, never writes. */
export async function readYaml(file: string): Promise<Result<YamlFile | undefined, readonly Problem[]>> {
  const bytes = await readBounded(file);
  if (!bytes.ok) return err([bytes.error]);
  return bytes.value === undefined ? ok(undefined) : parseYaml(file, bytes.value);
}

/** The bytes of a regular file of at most 1 MB. `undefined`: no such file. */
export async function readBounded(file: string): Promise<Result<Buffer | undefined, Problem>> {
  try {
    const found = lookAt(file);
    if (found === "nothing") return ok(undefined);
    if (found === "broken link")
      return err({ file, message: "is a symlink to a file that is not there", hint: "fix or remove the link" });
    if (found.isDirectory()) return err({ file, message: "is a folder", hint: "move it away; a file belongs there" });
    if (!found.isFile()) return err({ file, message: "is not a regular file", hint: "put a plain text file there" });
    if (found.size > maxBytes)
      return err({ file, message: `is larger than ${maxBytes / 1_000_000} MB`, hint: "shorten it" });
    return ok(readFileSync(file));
  } catch (thrown) {
    return failed(file, thrown);
  }
}

/** The same for bytes at hand. */
export async function parseYaml(file: string, bytes: Buffer): Promise<Result<YamlFile, readonly Problem[]>> {
  const text = decode(bytes);
  if (text === undefined) return err([{ file, message: "is not UTF-8 text", hint: "save it as UTF-8" }]);
  const { isMap, isScalar, LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(text, { ...yamlOptions, lineCounter: lines, prettyErrors: false });
  const wrong = [...document.errors, ...document.warnings].slice(0, 3);
  if (wrong.length > 0) {
    return err(
      wrong.map((error) => {
        const { line, col } = lines.linePos(error.pos[0]);
        const message = `malformed YAML: ${sentence(error.code, error.message)}`;
        return { file, line, column: col, message, hint: "nothing was changed; `hermes config edit` opens it" };
      }),
    );
  }
  const tree = treeOf(document);
  if (!tree.ok) return err([{ file, message: tree.error }]);
  const place: YamlFile["place"] = (path) => {
    const parent = document.getIn(path.slice(0, -1), true);
    const last = path.at(-1);
    const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === last) : undefined;
    const node = pair?.key ?? document.getIn(path, true);
    const range = isObject(node) && Array.isArray(node["range"]) ? (node["range"] as readonly number[]) : undefined;
    if (range === undefined) return undefined;
    const { line, col } = lines.linePos(range[0] ?? 0);
    return { line, column: col };
  };
  const mark = bytes.toString("utf8", 0, 3) === "\uFEFF" ? "\uFEFF" : "";
  return ok({ file, text, mark, document, tree: tree.value, place });
}

/** Keys are texts and unique, `<<` merges as in PyYAML, and no tag but the plain ones has a meaning. */
export const yamlOptions = {
  merge: true,
  stringKeys: true,
  uniqueKeys: true,
  resolveKnownTags: false,
  logLevel: "error",
} as const;

const maxBytes = 1_000_000;

function failed(file: string, thrown: unknown): Result<undefined, Problem> {
  const code = codeOf(thrown);
  // Removed between the look and the reading.
  if (code === "ENOENT") return ok(undefined);
  if (code === "ENOTDIR") return err({ file, message: "cannot be there: a part of its path is a file, not a folder" });
  if (code === "EACCES" || code === "EPERM")
    return err({ file, message: "may not be read by this user", hint: "check its owner and mode" });
  if (code === "ELOOP")
    return err({ file, message: "is a symlink that leads to itself", hint: "fix or remove the link" });
  return err({ file, message: `cannot be read: ${reasonOf(thrown)}` });
}

function decode(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function treeOf(document: Document): Result<JsonObject, string> {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (thrown) {
    return err(`cannot be read: ${reasonOf(thrown)}`);
  }
  if (value === null || value === undefined) return ok({});
  const admitted = admit(value, { maxChars: 4_000_000, maxDepth: 64 });
  if (!admitted.ok) return admitted;
  if (isObject(admitted.value)) return ok(admitted.value);
  return err(`must hold keys and values, not ${Array.isArray(admitted.value) ? "a list" : "a single value"}`);
}

function sentence(code: string, message: string): string {
  if (code === "RESOURCE_EXHAUSTION") return "it nests too deep";
  if (code === "MULTIPLE_DOCS") return "more than one document; take out the `---`";
  return message.replace(/ at line \d+, column \d+:?[^]*$/u, "");
}
