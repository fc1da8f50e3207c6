import { readFileSync } from "node:fs";
import { dirname } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { withFileLock, writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { reasonOf, type Result } from "../../base/result.ts";
import type { Price } from "../../contracts/model/model.ts";

/** One entry of an endpoint's model list. */
export interface ListedModel {
  readonly id: string;
  readonly contextTokens?: number;
  readonly maxOutputTokens?: number;
  readonly vision?: boolean;
  readonly price?: Price;
}

/** A disk cache of facts about models. It can be deleted at any time. */
export interface FactsFile {
  /** Context windows that providers stated in error messages, by `baseUrl model`. */
  readonly windows: Readonly<Record<string, { readonly tokens: number; readonly at: number }>>;
  /** Model lists of endpoints, by base address. */
  readonly lists: Readonly<Record<string, { readonly at: number; readonly models: readonly ListedModel[] }>>;
}

/** The models of one provider in a public list. */
export interface PublicProvider {
  /** The address of the provider's API, if the list contains it. */
  readonly api?: string;
  readonly models: readonly ListedModel[];
}

/** A list of the models of many providers, in the format of models.dev, by provider id. */
export type PublicList = ReadonlyMap<string, PublicProvider>;

/** All sources of facts about models: the cache file and a public list. */
export interface KnownFacts extends FactsFile {
  readonly publicList?: PublicList;
}

export const emptyFacts: FactsFile = { windows: {}, lists: {} };

/** Reads the cache. A missing or damaged file counts as empty. */
export function readFacts(path: string): FactsFile {
  try {
    const parsed = parseJson(readFileSync(path, "utf8"), { maxChars: 32_000_000, maxDepth: 10 });
    if (!parsed.ok || !isObject(parsed.value)) return emptyFacts;
    const { windows, lists } = parsed.value;
    return { windows: readWindows(windows), lists: readLists(lists) };
  } catch {
    return emptyFacts;
  }
}

export async function changeFacts(
  path: string,
  change: (file: FactsFile) => FactsFile,
  deps: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<void>> {
  try {
    await makeFolder(dirname(path), 0o700);
    const changed = await withFileLock(
      path,
      () => writeFileAtomic(path, JSON.stringify({ version: 1, ...change(readFacts(path)) }), { mode: 0o600 }),
      { ...deps, timeoutMs: 5_000 },
    );
    return changed.ok ? changed.value : changed;
  } catch (thrown) {
    return { ok: false, error: { message: reasonOf(thrown) } };
  }
}

function readWindows(value: unknown): FactsFile["windows"] {
  if (!isObject(value)) return {};
  const read = Object.entries(value).flatMap(([key, entry]) => {
    if (!isObject(entry) || typeof entry["tokens"] !== "number") return [];
    return [[key, { tokens: entry["tokens"], at: Number(entry["at"]) || 0 }] as const];
  });
  return Object.fromEntries(read);
}

function readLists(value: unknown): FactsFile["lists"] {
  if (!isObject(value)) return {};
  const read = Object.entries(value).flatMap(([key, entry]) => {
    if (!isObject(entry) || !Array.isArray(entry["models"])) return [];
    // Only `changeFacts` writes this file, so entries of another form are skipped.
    const models = entry["models"].filter((one): one is ListedModel => isObject(one) && typeof one["id"] === "string");
    return [[key, { at: Number(entry["at"]) || 0, models }] as const];
  });
  return Object.fromEntries(read);
}
