import type { Principal } from "../../contracts/safety/principal.ts";
import type { SearchedRole, SearchQuery } from "../../contracts/session/session-search.ts";
import { pkOf } from "../entry-row.ts";
import { ownerWord, spanWords } from "./filter-words.ts";
import { quoted } from "./search-words.ts";
import type { FeedSession, FeedText, SessionFeed, TextFilter } from "./session-feed.ts";

/** The owner, roles and time range of a search, as index words and as filter values. */
export interface SearchConditions {
  readonly roles: readonly SearchedRole[];
  /** A condition to append to an expression: texts of the owner in that time. Undefined if no such text can exist. */
  readonly own: string | undefined;
  /** Like `now`, but for all texts of the owner at any time. */
  readonly ever: string;
  readonly wanted: TextFilter;
}

export function searchConditions(query: SearchQuery, who: Principal, now: number): SearchConditions {
  const { roles = ["user", "assistant"], since, until, current } = query;
  const by = (all: readonly SearchedRole[]) => all.map((role) => quoted(ownerWord(who.id, role))).join(" OR ");
  const isNever = roles.length === 0 || (since ?? 0) > (until ?? Number.MAX_SAFE_INTEGER);
  return {
    roles,
    own: isNever ? undefined : ` AND (${by(roles)})${timeOf(query, now)}`,
    ever: ` AND (${by(["user", "assistant", "tool"])})`,
    wanted: {
      principal: who.id,
      isSaid: roles.some((role) => role !== "tool"),
      isOutput: roles.includes("tool"),
      since: since ?? 0,
      until: until ?? Number.MAX_SAFE_INTEGER,
      withoutSources: hidden,
      withoutSessions: query.without ?? [],
      withoutNumbers: [],
      current: {
        id: current?.sessionId ?? "",
        // The row up to which the current conversation is searched.
        through: current?.through === undefined ? -1 : pkOf(current.through),
      },
    },
  };
}

/** The session sources that are never searched. */
const hidden = ["subagent", "kanban", "tool"];

/**
 * Filters by days and months if there are few enough to list. A range without a start excludes the days after its end,
 * because the first day is unknown.
 */
function timeOf({ since, until }: SearchQuery, now: number): string {
  const last = now + aheadMs;
  if (since === undefined && until === undefined) return "";
  const named =
    since === undefined ? undefined : spanWords(Math.max(0, since), Math.max(since, Math.min(until ?? last, last)));
  if (named) return ` AND (${named.map(quoted).join(" OR ")})`;
  const after = until === undefined ? undefined : spanWords(Math.max(0, until + dayMs), last);
  return after && after.length > 0 ? ` NOT (${after.map(quoted).join(" OR ")})` : "";
}

const dayMs = 86_400_000;
/** Allows for wrong clocks: texts with a future time count too. */
const aheadMs = 400 * dayMs;

/** The root session of a family. Undefined if the family contains an excluded session. */
export type RootOf = (text: FeedText) => number | undefined;

/** Caches for one search, so that each session is looked up once. */
export function createRoots(feed: SessionFeed, { wanted: criteria }: SearchConditions): RootOf {
  const { principal, withoutSessions, current } = criteria;
  const cached = new Map<number, FeedSession | undefined>();

  function get(pk: number): FeedSession | undefined {
    if (!cached.has(pk)) cached.set(pk, feed.session(pk));
    return cached.get(pk);
  }

  return ({ session, of }) => {
    let root = session;
    let { parent } = of;
    for (let depth = 0; parent !== null && depth < maxDepth; depth++) {
      const above = get(parent);
      if (above?.principal !== principal) break;
      if (withoutSessions.includes(above.id) || above.id === current.id) return undefined;
      root = parent;
      ({ parent } = above);
    }
    return root;
  };
}

const maxDepth = 50;
