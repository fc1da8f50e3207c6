import type { Principal } from "../contracts/safety/principal.ts";
import type { OwnSessionSearch, SessionSearch } from "../contracts/session/session-search.ts";
import type { OwnSessions, SessionStore } from "../contracts/session/session.ts";

/** Read-only access to the sessions of one principal. */
export function ownSessions(
  store: Pick<SessionStore, "get" | "find" | "list" | "path" | "entriesAfter">,
  who: Principal,
): OwnSessions {
  return {
    get: (id) => store.get(id, who),
    find: (text) => store.find(text, who),
    list: (query) => store.list(query, who),
    path: async (id, head) => ((await store.get(id, who)) ? store.path(id, head) : []),
    async holder(entry) {
      const place = Number(entry.replace(/^e/u, ""));
      const [placed] = Number.isSafeInteger(place) ? await store.entriesAfter(place - 1, 1) : [];
      return placed?.place === place ? store.get(placed.sessionId, who) : undefined;
    },
  };
}

export function ownSearch(search: Pick<SessionSearch, "search">, who: Principal): OwnSessionSearch {
  return { search: (query, signal) => search.search(query, who, signal) };
}
