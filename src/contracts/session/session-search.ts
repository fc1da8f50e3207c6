import type { EntryId, SessionId } from "../../base/ids.ts";
import type { Principal } from "../safety/principal.ts";
import type { TextSource } from "../safety/text-source.ts";
import type { SessionRecord } from "./session.ts";

/** What of a conversation can be found. */
export type SearchedRole = "user" | "assistant" | "tool";

export interface SearchQuery {
  /** Words, `"phrases"`, `begin*`, `-without`, `a OR b`; a word with a typo is found when nothing fits better. */
  readonly text: string;
  /** Left out: what people and models said. */
  readonly roles?: readonly SearchedRole[];
  readonly since?: number;
  readonly until?: number;
  /** Left out: by how well it fits, newer a little before older. */
  readonly sort?: "newest" | "oldest";
  /** How many sessions at most. */
  readonly limit: number;
  /** Not in these sessions, nor in those that they started. */
  readonly without?: readonly SessionId[];
  /**
   * The conversation that asks, whose model has it before it already: of it and what it started, only what was said up
   * to that entry, which a compaction took away.
   */
  readonly current?: { readonly sessionId: SessionId; readonly through?: EntryId };
}

/** The best place of a session and those that it started, and how many more there are. */
export interface SearchHit {
  readonly sessionId: SessionId;
  readonly entry: EntryId;
  readonly role: SearchedRole;
  readonly at: number;
  /** Around the words that were found, which are between `>>>` and `<<<`. */
  readonly snippet: string;
  /** The words are in its title, which is the snippet then; `entry` is the first of it. */
  readonly isTitle?: true;
  readonly more: number;
  /** What strangers wrote that its session has read. Left out: nothing. */
  readonly strangers?: readonly TextSource[];
}

export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** How the words were understood, when it was not as they were written: a typo, letters without spaces. */
  readonly note?: string;
  /** There were more candidates than are looked at; the best of the first many are shown. */
  readonly bounded: boolean;
  /** Entries that are not searchable yet: the file is being made again. */
  readonly behind: number;
}

/** Full-text search in a file of its own, which can be deleted at any time and makes itself again. */
export interface SessionSearch extends AsyncDisposable {
  /** Never those of somebody else. What was just written is found, unless there is too much of it: see `behind`. */
  search(query: SearchQuery, who: Principal, signal: AbortSignal): Promise<SearchAnswer>;
  /** Answers when all is searchable that was written until now. */
  ready(signal: AbortSignal): Promise<void>;
  /** Takes out what was erased from the store. It is not found any more in any case. */
  forgetErased(signal: AbortSignal): Promise<void>;
}

/** An answer with the sessions that the hits are in. */
export interface FoundSessions extends Omit<SearchAnswer, "hits"> {
  readonly found: readonly (SearchHit & { readonly record: SessionRecord })[];
}
