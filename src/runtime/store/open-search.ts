import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { isReadOnlyDatabase } from "../../base/files/read-only-database.ts";
import { makeTempFolder } from "../../base/files/temp-folder.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { FoundSessions, SearchQuery, SessionSearch } from "../../contracts/session/session-search.ts";
import type { SessionStore } from "../../contracts/session/session.ts";

/**
 * Search over a store, in a file beside it, or in a temporary one if the store cannot be written to. Nothing is loaded or
 * started before the first search.
 */
export function openSearch(sessionsFile: string, clock: Clock = systemClock): SessionSearch {
  let search: SessionSearch | undefined;
  let folder: string | undefined;
  const open = once(async () => {
    const { openSessionSearch } = await import("../../store/search/session-search.ts");
    if (isReadOnlyDatabase(sessionsFile)) folder = makeTempFolder(tmpdir(), "search");
    const searchPath = folder === undefined ? searchFileOf(sessionsFile) : join(folder, "search.db");
    return (search = openSessionSearch({ sessionsPath: sessionsFile, searchPath }, { clock }));
  });
  return {
    search: async (query, who, signal) => (await open()).search(query, who, signal),
    ready: async (signal) => (await open()).ready(signal),
    forgetErased: async (signal) => (await open()).forgetErased(signal),
    async [Symbol.asyncDispose]() {
      await search?.[Symbol.asyncDispose]();
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Removes erased sessions from the search file of this home, if there is one. */
export async function forgetErasedTexts(config: LoadedConfig, signal: AbortSignal): Promise<void> {
  const sessions = join(config.home.path, homeFiles.sessions);
  if (!existsSync(searchFileOf(sessions))) return;
  await using search = openSearch(sessions);
  await search.forgetErased(signal);
}

export async function findSessions(
  query: SearchQuery,
  who: Principal,
  { store, search }: { readonly store: SessionStore; readonly search: SessionSearch },
  signal: AbortSignal,
): Promise<FoundSessions> {
  const { hits, ...answer } = await search.search(query, who, signal);
  const records = await Promise.all(hits.map(({ sessionId }) => store.get(sessionId, who)));
  const matches = hits.flatMap((hit, index) => {
    const record = records[index];
    return record ? [{ ...hit, record }] : [];
  });
  return { ...answer, found: matches };
}

function searchFileOf(sessionsFile: string): string {
  return `${sessionsFile.replace(/\.db$/u, "")}-search.db`;
}
