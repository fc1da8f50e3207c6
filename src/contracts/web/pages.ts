import type { TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { ServiceTarget } from "../tool/effect.ts";

/** Search and reading of web pages, for tools. */
export interface Pages {
  /** Never rejects. */
  search(wish: SearchWish, signal: AbortSignal): Promise<Result<SearchReport>>;
  /** The servers that a search would be sent to. Never rejects. */
  searchTargets(): Promise<readonly ServiceTarget[]>;
  /** Reads pages. Returns one result for each URL, in the same order. Never rejects. */
  extract(wish: ExtractWish, signal: AbortSignal): Promise<readonly PageReport[]>;
  /** Searches posts on X. Never rejects. */
  searchPosts(wish: PostSearch, signal: AbortSignal): Promise<Result<PostAnswer>>;
}

export interface SearchWish {
  readonly query: string;
  readonly limit: number;
  /** The turn that the search belongs to. The number of searches in one turn is limited. */
  readonly turnId?: TurnId;
}

export interface WebHit {
  readonly url: string;
  readonly title: string;
  readonly description: string;
}

export interface SearchReport {
  /** The service that answered, such as `tavily`. */
  readonly backend: string;
  readonly hits: readonly WebHit[];
  /** Notes for the reader of the results, one sentence each. */
  readonly notes: readonly string[];
}

export interface ExtractWish {
  readonly urls: readonly string[];
  /** The maximum length. Default: the limit in the settings. */
  readonly charLimit?: number;
  /** A question. If set, only the passages that answer it are returned. */
  readonly question?: string;
  /** The user's prompt of this turn. A page that it mentions may be read despite its robots.txt. */
  readonly personText?: string;
  /** True if a person, not the model, makes the call. */
  readonly isByPerson?: boolean;
}

export interface PageReport {
  readonly url: string;
  readonly title: string;
  /** The page as Markdown. Empty if there is an error. */
  readonly content: string;
  readonly error?: string;
}

export interface PostSearch {
  readonly query: string;
  readonly allowedHandles?: readonly string[];
  readonly excludedHandles?: readonly string[];
  /** YYYY-MM-DD. */
  readonly fromDate?: string;
  readonly toDate?: string;
  readonly understandsImages?: boolean;
  readonly understandsVideos?: boolean;
}

export interface PostAnswer {
  readonly answer: string;
  readonly citations: readonly string[];
  readonly inlineCitations: readonly PostCitation[];
  readonly model: string;
  /** The provider: `xai-oauth` or `xai`. */
  readonly credentialSource: string;
  /** Why the answer may not be based on posts. */
  readonly degradedReason?: string;
}

export interface PostCitation {
  readonly url: string;
  readonly title: string;
  readonly startIndex?: number;
  readonly endIndex?: number;
}
