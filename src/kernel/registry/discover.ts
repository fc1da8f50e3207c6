import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { abortable, linkAbort, sleep } from "../../base/async/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { byText } from "../../base/text/order.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ServedContent, ServedPrompt, ServedResource } from "../../contracts/mcp/served.ts";
import { isTool } from "../../contracts/tool/define-tool.ts";
import type { Diagnostic } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";

export interface DiscoverOptions {
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** A module that takes longer to load is skipped. */
  readonly timeoutMs?: number;
}

export interface Discovered {
  /** The tools in the order of their paths, then of their exports. */
  readonly tools: readonly { readonly tool: Tool; readonly file: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Loads every tool of every `*.tool.{ts,mts,js,mjs}` file below a folder. A file that fails to load is reported, and
 * the others load; a missing folder counts as empty. Rejects only when aborted.
 */
export async function discoverTools(folder: string, options: DiscoverOptions): Promise<Discovered> {
  const diagnostics: Diagnostic[] = [];
  const files = await filesBelow(folder, toolFile, diagnostics, new Set());
  const tools: { readonly tool: Tool; readonly file: string }[] = [];
  for (const { file, exported } of await importAll(files.toSorted(byText), toolsIn, options)) {
    if (exported.ok) tools.push(...exported.value.map((tool) => ({ tool, file })));
    else diagnostics.push({ source: file, message: exported.error });
  }
  return { tools, diagnostics };
}

/**
 * Loads the resources and prompts for MCP clients from every `*.served.{ts,mts,js,mjs}` file below a folder. The
 * default export has `resources`, `prompts` or both.
 */
export async function discoverServed(
  folder: string,
  options: DiscoverOptions,
): Promise<{ readonly served: readonly ServedContent[]; readonly diagnostics: readonly Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const files = await filesBelow(folder, servedFile, diagnostics, new Set());
  const served: ServedContent[] = [];
  for (const { file, exported } of await importAll(files.toSorted(byText), servedIn, options)) {
    if (exported.ok) served.push({ ...exported.value, name: file });
    else diagnostics.push({ source: file, message: exported.error });
  }
  return { served, diagnostics };
}

const toolFile = /^[^.].*\.tool\.m?[jt]s$/;
const servedFile = /^[^.].*\.served\.m?[jt]s$/;

async function filesBelow(
  folder: string,
  pattern: RegExp,
  diagnostics: Diagnostic[],
  visited: Set<string>,
): Promise<string[]> {
  try {
    const real = await realpath(folder);
    if (visited.has(real)) return [];
    visited.add(real);
    const entries = await readdir(folder, { withFileTypes: true });
    const nested = await Promise.all(
      entries.map(async (entry) => {
        if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
        const path = join(folder, entry.name);
        const kind = entry.isSymbolicLink() ? await stat(path).catch(() => entry) : entry;
        if (kind.isDirectory()) return filesBelow(path, pattern, diagnostics, visited);
        return kind.isFile() && pattern.test(entry.name) ? [path] : [];
      }),
    );
    return nested.flat();
  } catch (thrown) {
    if (!isNotFound(thrown)) diagnostics.push({ source: folder, message: `cannot be read: ${reasonOf(thrown)}` });
    return [];
  }
}

interface Imported<T> {
  readonly file: string;
  readonly exported: Result<T, string>;
}

type ReadModule<T> = (module: unknown) => Result<T, string>;

async function importAll<T>(
  files: readonly string[],
  read: ReadModule<T>,
  options: DiscoverOptions,
): Promise<readonly Imported<T>[]> {
  const { signal, clock = systemClock, timeoutMs = 5000 } = options;
  signal.throwIfAborted();
  if (files.length === 0) return [];
  using late = linkAbort(signal);
  using done = linkAbort(signal);
  sleep(timeoutMs, done.signal, clock).then(
    () => late.abort(new Error(`not loaded within ${timeoutMs / 1000} s; does it wait at its top level?`)),
    () => {},
  );
  try {
    const imported = await Promise.all(
      files.map(async (file) => ({ file, exported: await importOne(file, read, late.signal) })),
    );
    signal.throwIfAborted();
    return imported;
  } finally {
    done.abort();
  }
}

async function importOne<T>(file: string, read: ReadModule<T>, signal: AbortSignal): Promise<Result<T, string>> {
  try {
    const { importFile } = await import("./import-file.ts");
    const module = await abortable(importFile(pathToFileURL(file).href), signal);
    return read(module);
  } catch (thrown) {
    return err(`cannot be loaded${lineOf(thrown, file)}: ${oneLine(reasonOf(thrown), 500)}`);
  }
}

/** Returns the line of the file where loading failed, if the error contains it. */
function lineOf(thrown: unknown, file: string): string {
  const stack = thrown instanceof Error ? (thrown.stack ?? "") : "";
  const given = isObject(thrown) ? thrown["startLine"] : undefined;
  const line =
    typeof given === "number" ? given : new RegExp(`${RegExp.escape(file)}[^:\\s]*:(\\d+)`, "u").exec(stack)?.[1];
  return line === undefined ? "" : ` (line ${line})`;
}

function toolsIn(module: unknown): Result<readonly Tool[], string> {
  const exported = (module as { readonly default?: unknown }).default;
  if (exported === undefined) return err("has no default export; write `export default defineTool({ … })`");
  const all: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  return all.every(isTool)
    ? ok(all)
    : err("its default export is neither a tool nor a list of tools; write it with defineTool");
}

function servedIn(module: unknown): Result<Omit<ServedContent, "name">, string> {
  const exported = (module as { readonly default?: unknown }).default;
  const { resources = [], prompts = [] } = isObject(exported) ? exported : {};
  const hasFunction = (name: string) => (one: unknown) => isObject(one) && typeof one[name] === "function";
  if (!isObject(exported) || !Array.isArray(resources) || !Array.isArray(prompts))
    return err("its default export has neither resources nor prompts");
  if (!resources.every(hasFunction("read"))) return err("a resource has no function read");
  if (!prompts.every(hasFunction("get"))) return err("a prompt has no function get");
  // Safe cast: these are the author's own objects, and the protocol's schema checks their return values.
  return ok({ resources: resources as ServedResource[], prompts: prompts as ServedPrompt[] });
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}
