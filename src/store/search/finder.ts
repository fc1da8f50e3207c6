import type { SearchAnswer } from "../../contracts/session/session-search.ts";
import { openToRead, type SearchFile } from "./search-file.ts";
import type { SearchInput } from "./search-task.ts";
import { createTextSearch, type TextSearch } from "./search-texts.ts";
import { openSessionFeed, type SessionFeed } from "./session-feed.ts";
import type { Splitter } from "./split-words.ts";

export interface SearchPaths {
  readonly sessionsPath: string;
  readonly searchPath: string;
}

export interface Finder {
  find(request: SearchInput): Promise<SearchAnswer>;
  /** Undefined if the store has new entries that are not indexed yet. */
  findIfAll(request: SearchInput): Promise<SearchAnswer | undefined>;
}

/** Searches the current search file; returns no results if it does not exist. */
export function createFinder({ sessionsPath, searchPath }: SearchPaths, splitter: Splitter): Finder {
  let feed: SessionFeed | undefined;
  let open: { readonly file: SearchFile; readonly search: TextSearch } | undefined;

  async function current(): Promise<TextSearch | undefined> {
    feed ??= await openSessionFeed(sessionsPath);
    if (open && !open.file.isGone()) return open.search;
    open?.file[Symbol.dispose]();
    open = undefined;
    const file = await openToRead(searchPath);
    if (!file) return undefined;
    open = { file, search: createTextSearch(file.database, feed, splitter) };
    return open.search;
  }

  async function use<T>(work: (search: TextSearch | undefined) => T): Promise<T> {
    try {
      return work(await current());
    } catch (thrown) {
      // After any error, the next search reopens the file.
      open?.file[Symbol.dispose]();
      open = undefined;
      throw thrown;
    }
  }

  const answer = (search: TextSearch | undefined, { query, who, now }: SearchInput): SearchAnswer =>
    search?.find(query, who, now) ?? { hits: [], bounded: false, behind: feed?.newest() ?? 0 };

  return {
    find: (request) => use((search) => answer(search, request)),
    findIfAll: (request) => use((search) => (search?.behind() === 0 ? answer(search, request) : undefined)),
  };
}
