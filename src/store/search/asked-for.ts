import type { Principal } from "../../contracts/principal.ts";
import type { SearchedRole, SearchQuery } from "../../contracts/session-search.ts";
import { pkOf } from "../entry-row.ts";
import { ownerWord, spanWords } from "./filter-words.ts";
import { quoted } from "./search-words.ts";
import type { FeedSession, FeedText, SessionFeed, WantedTexts } from "./session-feed.ts";

/** Whose, by whom and when, as words and as facts. */
export interface AskedFor {
  readonly roles: readonly SearchedRole[];
  /** For behind an expression: only those of the owner, of that time. Undefined: there can be none. */
  readonly own: string | undefined;
  readonly wanted: WantedTexts;
}

export function askedFor(query: SearchQuery, who: Principal): AskedFor {
  const { roles = ["user", "assistant"], since, until, current } = query;
  const owners = roles.map((role) => quoted(ownerWord(who.id, role)));
  const hasTime = since !== undefined || until !== undefined;
  const span = hasTime ? spanWords(Math.max(0, since ?? 0), Math.min(until ?? lastDay, lastDay)) : undefined;
  const time = span ? ` AND (${span.map(quoted).join(" OR ")})` : "";
  return {
    roles,
    own: owners.length === 0 || span?.length === 0 ? undefined : ` AND (${owners.join(" OR ")})${time}`,
    wanted: {
      principal: who.id,
      isSaid: roles.some((role) => role !== "tool"),
      isOutput: roles.includes("tool"),
      since: since ?? 0,
      until: until ?? Number.MAX_SAFE_INTEGER,
      withoutSources: hidden,
      withoutSessions: query.without ?? [],
      current: {
        id: current?.sessionId ?? "",
        // Up to where the conversation that asks is looked through.
        through: current?.through === undefined ? -1 : pkOf(current.through),
      },
    },
  };
}

/** What nobody said to anybody. */
const hidden = ["subagent", "kanban", "tool"];
/** 2100: what is behind it is not asked for by day. */
const lastDay = 4_102_444_800_000;

/** The session that all of a family come from. Undefined: one of it is not looked through. */
export type RootOf = (text: FeedText) => number | undefined;

/** For one search, which asks for each session once. */
export function createRoots(feed: SessionFeed, { wanted }: AskedFor): RootOf {
  const { principal, withoutSessions, current } = wanted;
  const known = new Map<number, FeedSession | undefined>();

  function get(pk: number): FeedSession | undefined {
    if (!known.has(pk)) known.set(pk, feed.session(pk));
    return known.get(pk);
  }

  return ({ session, of }) => {
    let root = session;
    let { parent } = of;
    for (let depth = 0; parent !== null && depth < mostDepth; depth++) {
      const above = get(parent);
      if (above?.principal !== principal) break;
      if (withoutSessions.includes(above.id) || above.id === current.id) return undefined;
      root = parent;
      ({ parent } = above);
    }
    return root;
  };
}

const mostDepth = 50;
