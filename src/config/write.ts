import { isUtf8 } from "node:buffer";
import { join } from "node:path";

import { sha256 } from "../base/digest.ts";
import { withFileLock, writeFileAtomic } from "../base/files/atomic-file.ts";
import { checkJson, type JsonObject, type JsonValue } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { checkFolder, ensureHome, type Home, homeFiles } from "./home.ts";
import { coerceSetting, coerceText } from "./keys/coerce.ts";
import { deprecatedKeys, moveText, valueAt } from "./keys/deprecated-keys.ts";
import { type KeyPath, keyText, parseKey } from "./keys/key-path.ts";
import { isOriginalKey } from "./keys/original-keys.ts";
import { isEnvironmentName, isSecretName } from "./keys/secret-names.ts";
import { lostTextProblem } from "./last-good.ts";
import { readSettings } from "./load.ts";
import type { ConfigFault, Problem } from "./problem.ts";
import { keyTree, nodeAt, type Section } from "./schema.ts";
import { setEnv, unsetEnv } from "./sources/dotenv.ts";
import { lockTimeoutMs, type WriteContext } from "./sources/trust.ts";
import { editYaml } from "./yaml/edit-yaml.ts";
import { parseYaml, readBounded, type YamlFile } from "./yaml/read-yaml.ts";

export interface SettingWrite {
  readonly key: string;
  readonly file: string;
  /** Undefined for a secret. */
  readonly value?: JsonValue;
  readonly notices: readonly string[];
}

/**
 * Sets one key from typed text. Secrets and environment variables go to `.env`, everything else to `config.yaml`.
 * Writes only if the result can be read and has no new problem. Concurrent changes are not lost.
 */
export async function setKey(
  home: Home,
  key: string,
  text: string,
  options: WriteContext & { readonly force: boolean },
): Promise<Result<SettingWrite, ConfigFault>> {
  if (text.includes("***"))
    return refuse(key, "the value is masked", "pass the real value; Hermes never writes a mask");
  if (text.includes("\0")) return refuse(key, "the value holds a NUL character");
  if (isEnvironmentName(key)) return setName(home, key, text, options);
  const result = parseKey(key);
  if (!result.ok) return refuse(key, result.error);
  const root = keyTree();
  const { path, notices } = settle(root, result.value, text);
  const name = String(path.at(-1));
  if (isSecretName(name) && nodeAt(root, path)?.kind !== "section" && !reference.test(text)) {
    const variable = variableOf(path);
    const linked = await writeValue(home, root, path, `\${${variable}}`, options);
    if (!linked.ok) return linked;
    const stored = await setName(home, variable, text, options);
    return stored.ok ? ok({ key: keyText(path), file: stored.value.file, notices }) : stored;
  }
  const value = await valueOf(root, path, text);
  const written = await writeValue(home, root, path, value, options);
  if (!written.ok) return written;
  const unused = isOriginalKey(path) ? ["this version does not use the key; it is kept for the Python version"] : [];
  return ok({ key: keyText(path), file: written.value, value, notices: [...notices, ...unused] });
}

/**
 * Sets several keys of `config.yaml` at once, or removes those whose value is undefined. All or nothing, and only
 * without new problems. A plain value where a section is expected sets the section's shorthand key.
 */
export async function setValues(
  home: Home,
  changes: readonly { readonly path: KeyPath; readonly value: JsonValue | undefined }[],
  context: WriteContext,
): Promise<Result<{ readonly file: string; readonly changed: boolean }, ConfigFault>> {
  const root = keyTree();
  const changed = await changeConfig(home, context, async (before) => {
    let yaml = before;
    const apply = async (path: KeyPath, value: JsonValue | undefined): Promise<Result<void, ConfigFault>> => {
      if (value === undefined && valueAt(yaml.tree, path) === undefined) return ok(undefined);
      const edited = await editYaml(yaml, path, value);
      if (!edited.ok) return refuse(keyText(path), edited.error);
      yaml = edited.value;
      return ok(undefined);
    };
    for (const { path, value } of changes) {
      const head = path.slice(0, 1);
      const plain = path.length > 1 ? valueAt(yaml.tree, head) : undefined;
      const node = nodeAt(root, head);
      if (plain !== undefined && plain !== null && typeof plain !== "object" && node?.kind === "section") {
        const section = node.shorthand === undefined ? {} : { [node.shorthand]: plain };
        for (const each of [undefined, section]) {
          const done = await apply(head, each);
          if (!done.ok) return done;
        }
      }
      const done = await apply(path, value);
      if (!done.ok) return done;
    }
    const problems = newProblems(root, before, yaml, false);
    return problems.length > 0 ? err({ problems }) : ok(textOf(yaml));
  });
  return changed.ok ? ok({ file: join(home.path, homeFiles.config), changed: changed.value }) : changed;
}

/** Removes one key. False: it was not set. */
export async function unsetKey(
  home: Home,
  key: string,
  context: WriteContext,
): Promise<Result<{ file: string; removed: boolean }, ConfigFault>> {
  const removeVariable = async (name: string) => {
    const removed = await changeEnv(home, (text) => unsetEnv(text, name), context);
    return removed.ok ? ok({ file: join(home.path, homeFiles.env), removed: removed.value }) : removed;
  };
  if (isEnvironmentName(key)) return removeVariable(key);
  const path = parseKey(key);
  if (!path.ok) return refuse(key, path.error);
  const file = join(home.path, homeFiles.config);
  const variables: string[] = [];
  const changed = await changeConfig(home, context, async (yaml) => {
    const value = valueAt(yaml.tree, path.value);
    if (value === undefined) return ok(undefined);
    variables.push(...ownVariables(path.value, value));
    const edited = await editYaml(yaml, path.value, undefined);
    return edited.ok ? ok(textOf(edited.value)) : refuse(key, edited.error);
  });
  if (!changed.ok) return changed;
  for (const name of variables) {
    const removed = await removeVariable(name);
    if (!removed.ok) return removed;
  }
  return ok({ file, removed: changed.value });
}

/** Replaces the whole text, if the file still has the hash it was copied with (`undefined`: there was none). */
export async function replaceConfig(
  home: Home,
  hash: string | undefined,
  bytes: Uint8Array,
  { signal, clock }: WriteContext,
): Promise<Result<void, ConfigFault>> {
  const file = join(home.path, homeFiles.config);
  const locked = await withFileLock(
    file,
    async (): Promise<Result<void, ConfigFault>> => {
      const result = await readBounded(file);
      if (!result.ok) return err({ problems: [result.error] });
      if ((result.value === undefined ? undefined : sha256(result.value)) !== hash)
        return refuse(file, "was changed by another program meanwhile");
      const written = await writeFileAtomic(file, bytes, result.value === undefined ? { mode: 0o600 } : {});
      if (!written.ok) return unwritten(written.error.message);
      await saveAsGood(home, bytes);
      return written;
    },
    { signal, clock, timeoutMs: lockTimeoutMs },
  );
  return locked.ok ? locked.value : unwritten(locked.error.message);
}

/** Reads, changes and writes `config.yaml` with its lock. False: the edit made no change. */
export async function changeConfig(
  home: Home,
  { signal, clock }: WriteContext,
  edit: (yaml: YamlFile) => Promise<Result<string | undefined, ConfigFault>>,
): Promise<Result<boolean, ConfigFault>> {
  const file = join(home.path, homeFiles.config);
  // This first read, outside the lock, also loads the YAML parser, so that the lock is held only briefly.
  const empty = await parseYaml(file, Buffer.alloc(0));
  if (!empty.ok) return err({ problems: empty.error });
  if (isAbsent(home)) {
    // Creates nothing for an edit without changes.
    const tried = await edit(empty.value);
    if (!tried.ok) return tried;
    if (tried.value === undefined) return ok(false);
  }
  const created = await ensureHome(home.path);
  if (!created.ok) return err({ problems: [created.error] });
  const locked = await withFileLock(
    file,
    async (): Promise<Result<boolean, ConfigFault>> => {
      const bytes = await readBounded(file);
      if (!bytes.ok) return err({ problems: [bytes.error] });
      const lost = lostTextProblem(home, bytes.value);
      if (lost) return err({ problems: [lost] });
      const result = bytes.value === undefined ? ok(undefined) : await parseYaml(file, bytes.value);
      if (!result.ok) return err({ problems: result.error });
      const yaml = result.value ?? empty.value;
      const text = await edit(yaml);
      if (!text.ok) return text;
      if (text.value === undefined || text.value === textOf(yaml)) return ok(false);
      const written = await writeFileAtomic(file, text.value, result.value === undefined ? { mode: 0o600 } : {});
      if (!written.ok) return unwritten(written.error.message);
      await saveAsGood(home, text.value);
      return ok(true);
    },
    { signal, clock, timeoutMs: lockTimeoutMs },
  );
  return locked.ok ? locked.value : unwritten(locked.error.message);
}

/**
 * Saves a text that Hermes itself wrote as the last valid one, even an empty text: the user may have removed the last
 * setting.
 */
async function saveAsGood(home: Home, text: string | Uint8Array): Promise<void> {
  await writeFileAtomic(join(home.path, homeFiles.lastConfig), text, { mode: 0o600 });
}

/** The `.env` name for the secret at a path. The prefix distinguishes it from variables that providers read. */
function variableOf(path: KeyPath): string {
  const name = path
    .join("_")
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/gu, "_");
  return `HERMES_CONFIG_${name}`;
}

/** The variables in `.env` that hold the secrets of a setting or section, as `setKey` stored them. */
function ownVariables(path: KeyPath, value: JsonValue): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([step, part]) => ownVariables([...path, step], part));
  const name = variableOf(path);
  return value === `\${${name}}` ? [name] : [];
}

function isAbsent({ path }: Home): boolean {
  const folder = checkFolder(path);
  return folder.ok && folder.value === "absent";
}

function textOf({ mark, text }: YamlFile): string {
  return mark + text;
}

const reference = /^\$\{[^}]+\}$/u;

function refuse(
  key: string,
  message: string,
  hint = "nothing was written",
): { readonly ok: false; readonly error: ConfigFault } {
  return err({ problems: [{ key, message, hint }] });
}

function unwritten(message: string): { readonly ok: false; readonly error: ConfigFault } {
  return err({ problems: [{ message, hint: "nothing was written" }] });
}

/**
 * Resolves the key to write: a deprecated key becomes its replacement, and a plain value for a section becomes the
 * section's shorthand key.
 */
function settle(
  root: Section,
  path: KeyPath,
  text: string,
): { readonly path: KeyPath; readonly notices: readonly string[] } {
  const old = deprecatedKeys.find(({ from, convert }) => convert === undefined && keyText(from) === keyText(path));
  if (old !== undefined) return { path: old.to, notices: [moveText({ key: old, value: text, drop: false })] };
  const node = nodeAt(root, path);
  const isPlain = !/^\s*\{/u.test(text);
  if (node?.kind === "section" && node.shorthand !== undefined && isPlain)
    return { path: [...path, node.shorthand], notices: [] };
  return { path, notices: [] };
}

/** Parses the text for this key: unchanged where the key is a string, otherwise as YAML. */
async function valueOf(root: Section, path: KeyPath, text: string): Promise<JsonValue> {
  const node = nodeAt(root, path);
  if (node?.kind === "leaf" && node.type !== "entries" && node.type !== "json") {
    if (node.type !== "string" && node.type !== "strings") return coerceText(node, text) as JsonValue;
    const isQuoted = /^["'].*["']$/su.test(text);
    const read = node.type === "strings" || isQuoted ? await readText(text, "failsafe") : text;
    const isMeant = node.type === "strings" ? Array.isArray(read) : typeof read === "string";
    return coerceSetting(node, isMeant ? read : text) as JsonValue;
  }
  const parent = nodeAt(root, path.slice(0, -1));
  return await readText(text, parent?.kind === "leaf" ? "failsafe" : "core");
}

async function readText(text: string, schema: "core" | "failsafe"): Promise<JsonValue> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { schema, stringKeys: true, logLevel: "silent" });
  // A text that YAML reads as a comment alone is treated as a text that starts with #.
  if (document.errors.length > 0 || document.warnings.length > 0 || document.contents === null) return text;
  try {
    const read = checkJson(document.toJS({ maxAliasCount: 0 }), { maxChars: 1_000_000, maxDepth: 32 });
    return read.ok ? read.value : text;
  } catch {
    // A value such as `*x`, which YAML reads as an alias, is treated as a text.
    return text;
  }
}

async function writeValue(
  home: Home,
  root: Section,
  path: KeyPath,
  value: JsonValue,
  options: WriteContext & { readonly force: boolean },
): Promise<Result<string, ConfigFault>> {
  const file = join(home.path, homeFiles.config);
  const changed = await changeConfig(home, options, async (yaml) => {
    const blocked = inTheWay(yaml.tree, path);
    if (blocked !== undefined) return refuse(keyText(path), blocked);
    const edited = await editYaml(yaml, path, value);
    if (!edited.ok) return refuse(keyText(path), edited.error);
    const problems = newProblems(root, yaml, edited.value, options.force);
    return problems.length > 0 ? err({ problems }) : ok(textOf(edited.value));
  });
  return changed.ok ? ok(file) : changed;
}

/**
 * The reason why the path cannot be set: a plain value where it needs a section, or an index beyond the end of a list.
 */
function inTheWay(tree: JsonObject, path: KeyPath): string | undefined {
  for (let length = 1; length < path.length; length++) {
    const head = path.slice(0, length);
    const value = valueAt(tree, head);
    const step = path[length];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== "object") return `${keyText(head)} holds a plain value; unset it first`;
    if (Array.isArray(value) && (typeof step !== "number" || step > value.length))
      return `${keyText(head)} is a list of ${value.length}; use an index from 0 to ${value.length}`;
  }
  return undefined;
}

/** Problems that the change would add. `force` permits unknown keys, except among safety settings. */
function newProblems(root: Section, before: YamlFile, after: YamlFile, force: boolean): readonly Problem[] {
  const was = readSettings(root, before);
  const is = readSettings(root, after);
  const old = new Set([...was.faults, ...was.warnings].map(same));
  const unknown = (problem: Problem) => force && problem.key !== undefined && is.unused.has(problem.key);
  const hint = "`--force` writes it anyway";
  const faults = is.faults.filter((problem) => !old.has(same(problem)));
  const warnings = is.warnings.filter((problem) => !old.has(same(problem)) && !unknown(problem));
  const notices = warnings.map((problem) => {
    const isUnknown = problem.key !== undefined && is.unused.has(problem.key);
    const advice = problem.hint === undefined ? "" : `${problem.hint} `;
    return placeless(problem, isUnknown ? `${advice}${hint}` : "nothing was written");
  });
  return [...faults.map((problem) => placeless(problem, problem.hint ?? "nothing was written")), ...notices];
}

/** Problems without line and column, because their text was not written. */
function placeless({ key, message }: Problem, hint: string): Problem {
  return key === undefined ? { message, hint } : { key, message, hint };
}

function same({ key, message }: Problem): string {
  return `${key}: ${message}`;
}

async function setName(
  home: Home,
  name: string,
  value: string,
  context: WriteContext,
): Promise<Result<SettingWrite, ConfigFault>> {
  if (name === "HERMES_HOME")
    return refuse(name, "cannot be set in the home folder that it selects", "set it in your shell");
  const changed = await changeEnv(home, (text) => setEnv(text, name, value), context);
  return changed.ok ? ok({ key: name, file: join(home.path, homeFiles.env), notices: [] }) : changed;
}

async function changeEnv(
  home: Home,
  edit: (text: string) => string,
  { signal, clock }: WriteContext,
): Promise<Result<boolean, ConfigFault>> {
  const file = join(home.path, homeFiles.env);
  if (isAbsent(home) && edit("") === "") return ok(false);
  const result = await ensureHome(home.path);
  if (!result.ok) return err({ problems: [result.error] });
  const locked = await withFileLock(
    file,
    async (): Promise<Result<boolean, ConfigFault>> => {
      const bytes = await readBounded(file);
      if (!bytes.ok) return err({ problems: [bytes.error] });
      if (bytes.value !== undefined && !isUtf8(bytes.value))
        return refuse(file, "is not UTF-8 text", "save it as UTF-8");
      const text = bytes.value?.toString("utf8") ?? "";
      const next = edit(text);
      if (next === text) return ok(false);
      const written = await writeFileAtomic(file, next, { mode: 0o600 });
      return written.ok ? ok(true) : unwritten(written.error.message);
    },
    { signal, clock, timeoutMs: lockTimeoutMs },
  );
  return locked.ok ? locked.value : unwritten(locked.error.message);
}
