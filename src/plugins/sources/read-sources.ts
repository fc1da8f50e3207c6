import { lstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { readFileBeneath } from "../../base/files/open-beneath.ts";
import { isInside } from "../../base/files/path.ts";
import { isObject, parsedObject } from "../../base/json.ts";
import { runProgram } from "../../base/process/run-program.ts";
import { sourceCache } from "../../base/process/source-cache.ts";
import type { FoundPlugin } from "../../contracts/plugin/manifest.ts";
import type { LoadParams } from "../../contracts/plugin/wire.ts";
import { nodeRunnerFile } from "./runner-files.ts";
import { typescriptFile } from "./to-javascript.ts";

export interface SourceDeps {
  /** The path of the cache file, which only this plugin uses. */
  readonly cacheFile: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The TypeScript files of a plugin as JavaScript, for `LoadParams.sources`. A new Node process needs 60 ms before it
 * can convert the first file, so the result is cached by the hash of each file. The plugin must not control the code
 * that runs after an update or in another plugin: only Hermes writes the cache, no sandbox shows it, and a process gets
 * the code through its connection. The parser runs in a separate process with a timeout, so a hostile file delays
 * nothing else. A file that cannot be converted is left out; the process of the plugin then tries it itself and reports
 * the error with its line. Never rejects.
 */
export async function readSources(
  { folder, entry, language }: Pick<FoundPlugin, "folder" | "entry" | "language">,
  { cacheFile, clock, signal }: SourceDeps,
): Promise<NonNullable<LoadParams["sources"]>> {
  if (language !== "typescript" || !typescriptFile.test(entry)) return {};
  const files = [...typescriptFiles(folder, entry)].map(([path, source]) => ({ path, source, hash: hashOf(source) }));
  const cached = await readCache(cacheFile);
  const missing = files.filter(({ path, hash }) => cached.get(path)?.hash !== hash);
  const converted = missing.length === 0 ? {} : await convertApart(missing, { clock, signal });
  const current = files.flatMap(({ path, hash }) => {
    const code = cached.get(path)?.hash === hash ? cached.get(path)?.code : converted[path];
    return typeof code === "string" ? [{ path, hash, code }] : [];
  });
  if (missing.length > 0) await writeCache(cacheFile, current);
  return Object.fromEntries(current.map(({ path, code }) => [path, code]));
}

/**
 * The entry file and, recursively, the TypeScript files of the plugin whose names it quotes: a superset of its
 * imports. Links are not followed, because this process can read files that the plugin cannot.
 */
function typescriptFiles(folder: string, entry: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const waiting = [entry];
  let chars = 0;
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (files.has(path) || !isInside(folder, path) || files.size >= maxFiles) continue;
    const source = readSource(path);
    if (source === undefined || (chars += source.length) > maxChars) continue;
    files.set(path, source);
    for (const [, name = ""] of source.matchAll(/["'`](\.{1,2}\/[^"'`\n]{1,200})["'`]/gu))
      waiting.push(...candidates(resolve(dirname(path), name)).filter((file) => typescriptFile.test(file)));
  }
  return files;
}

/** The files that an import of this path can refer to. */
function candidates(path: string): readonly string[] {
  return [path, path.replace(/\.([mc]?)js$/u, ".$1ts"), `${path}.ts`, join(path, "index.ts")];
}

function readSource(path: string): string | undefined {
  try {
    return lstatSync(path).size > maxChars ? undefined : readFileBeneath(path).bytes.toString();
  } catch {
    return undefined;
  }
}

/** The Node version is part of the key, because another version may convert differently. */
function hashOf(source: string): string {
  return sha256(`${process.version}\0${source}`);
}

interface CachedFile {
  readonly hash: string;
  readonly code: string;
}

async function readCache(file: string): Promise<ReadonlyMap<string, CachedFile>> {
  const text = await readFile(file, "utf8").catch(() => "{}");
  const entries = Object.entries(parsedObject(text)).flatMap(([path, one]) =>
    isObject(one) && typeof one["hash"] === "string" && typeof one["code"] === "string"
      ? [[path, { hash: one["hash"], code: one["code"] }] as const]
      : [],
  );
  return new Map(entries);
}

/** A failed write of the cache is ignored: the next start is only slower. */
async function writeCache(file: string, files: readonly (CachedFile & { readonly path: string })[]): Promise<void> {
  const byPath = Object.fromEntries(files.map(({ path, hash, code }) => [path, { hash, code }]));
  try {
    await makeFolder(dirname(file), 0o700);
    await writeFileAtomic(file, JSON.stringify(byPath), { mode: 0o600 });
  } catch {
    // The next start converts again.
  }
}

async function convertApart(
  files: readonly { readonly path: string; readonly source: string }[],
  limits: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, unknown>>> {
  const sources = Object.fromEntries(files.map(({ path, source }) => [path, source]));
  const runner = nodeRunnerFile();
  const ran = await runProgram({
    program: process.execPath,
    args: ["--max-old-space-size=512", runner, "--convert"],
    env: sourceCache(runner),
    stdin: Buffer.from(JSON.stringify(sources)),
    timeoutMs: maxConvertMs,
    ...limits,
  });
  return ran.how === "exit" && ran.code === 0 ? parsedObject(ran.stdout) : {};
}

const maxFiles = 1_000;
const maxChars = 8_000_000;
const maxConvertMs = 20_000;
