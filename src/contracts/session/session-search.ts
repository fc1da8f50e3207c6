import type { EntryId, SessionId } from "../../base/ids.ts";
import type { Principal } from "../safety/principal.ts";
import type { TextSource } from "../safety/text-source.ts";
import type { SessionRecord } from "./session.ts";

/** Roles whose messages are searchable. */
export type SearchedRole = "user" | "assistant" | "tool";

export interface SearchQuery {
  /**
   * The query: words, `"phrases"`, `begin*`, `-without`, `a OR b`. Words with typos are corrected if nothing else
   * matches.
   */
  readonly text: string;
  /** The roles to search. Default: messages of users and models. */
  readonly roles?: readonly SearchedRole[];
  readonly since?: number;
  readonly until?: number;
  /** The order of the results. Default: by relevance, with a small bonus for newer texts. */
  readonly sort?: "newest" | "oldest";
  /** Max number of sessions. */
  readonly limit: number;
  /** Excludes these sessions and their children. */
  readonly without?: readonly SessionId[];
  /**
   * The session that performs the search. Its model already sees the recent messages, so the search covers only the
   * entries of this session and its children up to `through`, which a compaction removed.
   */
  readonly current?: { readonly sessionId: SessionId; readonly through?: EntryId };
}

/** The best match of a session and its children, and the number of other matches. */
export interface SearchHit {
  readonly sessionId: SessionId;
  readonly entry: EntryId;
  readonly role: SearchedRole;
  readonly at: number;
  /** The text around the matches, which are between `>>>` and `<<<`. */
  readonly snippet: string;
  /** True if the title matched: the snippet is the title, and `entry` is the first entry of the session. */
  readonly isTitle?: true;
  readonly more: number;
  /** Untrusted sources that the session has read. Undefined: it has read none. */
  readonly strangers?: readonly TextSource[];
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** How the query was interpreted, if it differs from the typed text: a corrected typo, or separated letters. */
  readonly note?: string;
  /** True if there were more candidates than the limit: the results are the best of those that were read. */
  readonly bounded: boolean;
  /** Number of entries that are not searchable yet, because the index is being rebuilt. */
  readonly behind: number;
}

/** Full-text search in a separate index file. The file can be deleted at any time; it is then rebuilt. */
export interface SessionSearch extends AsyncDisposable {
  /**
   * Searches. Never returns sessions of other users. Includes the newest entries, unless too many are not indexed yet:
   * see `behind`.
   */
  search(query: SearchQuery, who: Principal, signal: AbortSignal): Promise<SearchAnswer>;
  /** Resolves when everything written so far is searchable. */
  ready(signal: AbortSignal): Promise<void>;
  /** Removes erased entries from the index. Searches skip them in any case. */
  forgetErased(signal: AbortSignal): Promise<void>;
}

/** Search in the sessions of one principal. */
export interface OwnSessionSearch {
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
}

/** A search result with the sessions of its hits. */
export interface FoundSessions extends Omit<SearchAnswer, "hits"> {
  readonly found: readonly (SearchHit & { readonly record: SessionRecord })[];
}
