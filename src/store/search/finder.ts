import type { SearchAnswer } from "../../contracts/session-search.ts";
import { openToRead, type SearchFile } from "./search-file.ts";
import { createTextSearch, type TextSearch } from "./search-texts.ts";
import { openSessionFeed, type SessionFeed } from "./session-feed.ts";
import type { Splitter } from "./split-words.ts";

export interface SearchPaths {
  readonly sessionsPath: string;
  readonly searchPath: string;
}

type Finder = (...asked: Parameters<TextSearch>) => Promise<SearchAnswer>;

/** Searches whatever search file there is at the moment; while there is none, nothing is found. */
export function createFinder({ sessionsPath, searchPath }: SearchPaths, splitter: Splitter): Finder {
  let feed: SessionFeed | undefined;
  let open: { readonly file: SearchFile; readonly search: TextSearch } | undefined;

  async function current(): Promise<TextSearch | undefined> {
    if (open && !open.file.isGone()) return open.search;
    open?.file[Symbol.dispose]();
    open = undefined;
    const file = await openToRead(searchPath);
    if (!file) return undefined;
    feed ??= await openSessionFeed(sessionsPath);
    open = { file, search: createTextSearch(file.database, feed, splitter) };
    return open.search;
  }

  return async (query, who, now) => {
    try {
      const search = await current();
      if (search) return search(query, who, now);
      feed ??= await openSessionFeed(sessionsPath);
      return { hits: [], bounded: false, behind: feed.newest() };
    } catch (thrown) {
      // Whatever it was, the next one begins with a fresh look.
      open?.file[Symbol.dispose]();
      open = undefined;
      throw thrown;
    }
  };
}
