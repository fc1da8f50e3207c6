import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { writeFileAtomic } from "../../base/files/atomic-file.ts";
import { makeFolder } from "../../base/files/make-folder.ts";
import { expandHome } from "../../base/files/path.ts";
import type { Http } from "../../base/http/http-client.ts";
import { readBody } from "../../base/http/read-body.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { findRow } from "../endpoints/find-row.ts";
import type { Route } from "../endpoints/route.ts";
import type { ListedModel, PublicList, PublicProvider } from "./facts-file.ts";
import { readModelList } from "./read-model-list.ts";

export interface PublicListSource {
  /** The list on disk. Empty if no source is configured or the list cannot be read. */
  read(): PublicList;
  /** Fetches the list again. Undefined if there is no address to fetch it from. */
  refresh(signal: AbortSignal): Promise<Result<number>> | undefined;
  /** Returns whether the fetched list is missing or older than this age. */
  isOlderThan(ms: number): boolean;
}

export interface PublicListDeps {
  /** The source of the list: an http(s) address, a file, or empty. */
  readonly source: string;
  /** The folder in which fetched lists are stored. */
  readonly folder: string;
  /** The home folder, for paths that start with `~` and for relative paths. */
  readonly user: string;
  http(): Http;
  readonly clock: Clock;
  /** Reports a list that cannot be read. */
  fault(message: string): void;
}

export function openPublicList({ source, folder, user, http, clock, fault }: PublicListDeps): PublicListSource {
  const url = /^https?:/iu.test(source) ? URL.parse(source) : null;
  const digest = createHash("sha256").update(source).digest("hex").slice(0, 12);
  const path = url ? join(folder, `models-${digest}.json`) : resolve(user, expandHome(source, user));
  return {
    read() {
      if (source === "" || (url && !statSync(path, { throwIfNoEntry: false }))) return new Map();
      try {
        const list = readPublicList(readFileSync(path, "utf8"));
        if (!list.ok) fault(`${source}: ${list.error.message}`);
        return list.ok ? list.value : new Map();
      } catch (thrown) {
        fault(`${source} cannot be read: ${reasonOf(thrown)}`);
        return new Map();
      }
    },
    refresh(signal) {
      return url ? fetchList(url, path, http(), signal) : undefined;
    },
    isOlderThan(ms) {
      if (!url) return false;
      const stats = statSync(path, { throwIfNoEntry: false });
      return stats === undefined || clock.now() - stats.mtimeMs > ms;
    },
  };
}

/** Stores only a valid list, so that a broken answer never replaces a good one. */
async function fetchList(url: URL, path: string, http: Http, signal: AbortSignal): Promise<Result<number>> {
  const timeouts = { connectMs: 5_000, headMs: 15_000, stallMs: 15_000, totalMs: 60_000 };
  const request = { method: "GET", url, headers: { accept: "application/json" }, maxBytes } as const;
  const sent = await http.send(request, timeouts, signal);
  if (!sent.ok) return err({ message: sent.error.message });
  using answer = sent.value;
  const body = await readBody(answer);
  if (!body.ok) return err({ message: body.error.message });
  if (answer.status !== 200) return err({ message: `${url.host} answered ${answer.status}` });
  const text = body.value.toString();
  const list = readPublicList(text);
  if (!list.ok) return err({ message: `${url.host}${url.pathname}: ${list.error.message}` });
  try {
    await makeFolder(dirname(path), 0o700);
    const written = await writeFileAtomic(path, text, { mode: 0o600 });
    if (!written.ok) return written;
  } catch (thrown) {
    return err({ message: reasonOf(thrown) });
  }
  return ok(Array.from(list.value.values(), ({ models }) => models.length).reduce((sum, count) => sum + count, 0));
}

function readPublicList(text: string): Result<PublicList> {
  const parsed = parseJson(text, { maxChars: maxBytes, maxDepth: 20 });
  const top = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const providers = isObject(top["providers"]) ? top["providers"] : top;
  const list = new Map<string, PublicProvider>();
  for (const [id, provider] of Object.entries(providers)) {
    if (!isObject(provider) || !isObject(provider["models"])) continue;
    const { api } = provider;
    const models = readModelList({ models: provider["models"] });
    list.set(id.toLowerCase(), { ...(typeof api === "string" && { api: plainAddress(api) }), models });
  }
  return list.size > 0 ? ok(list) : err({ message: "this is not a model list in the format of models.dev" });
}

/**
 * Returns the models of a route's provider in a public list: the provider with the same address, otherwise with the
 * same name.
 */
export function publicModels({ providerId, baseUrl }: Route, list: PublicList | undefined): readonly ListedModel[] {
  if (!list?.size) return [];
  const address = plainAddress(baseUrl);
  for (const { api, models } of list.values()) if (api === address) return models;
  const isOwn = providerId.startsWith("custom:");
  const names = isOwn ? [providerId.slice("custom:".length)] : [providerId, ...(findRow(providerId)?.aliases ?? [])];
  for (const name of names) {
    const provider = list.get(name.toLowerCase());
    // A server of the user is never treated as a public provider of the same name.
    if (provider && !(isOwn && provider.api !== undefined)) return provider.models;
  }
  return [];
}

function plainAddress(address: string): string {
  return address.replace(/\/+$/u, "").toLowerCase();
}

const maxBytes = 64_000_000;
