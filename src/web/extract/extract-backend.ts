import type { PageWish } from "../fetch/fetch-page.ts";

/** A component that reads web pages: Hermes itself, a service or a plugin. */
export interface ExtractBackend {
  /** The name in the settings. */
  readonly name: string;
  /** Reads pages. Returns at least one entry per page; entries for other URLs are ignored. Never rejects. */
  extract(pages: readonly PageWish[], options: ExtractOptions): Promise<readonly Extracted[]>;
}

export interface ExtractOptions {
  readonly signal: AbortSignal;
  readonly question?: string;
  /** The maximum length of the passages that answer the question. */
  readonly maxAnswerChars?: number;
}

export type Extracted = ExtractedPage | { readonly url: string; readonly error: string };

export interface ExtractedPage {
  /** The requested URL. */
  readonly url: string;
  readonly title: string;
  readonly markdown: string;
  /** The addresses of the numbered links in a part of the text, one line each. */
  readonly references?: (part: string) => string;
  readonly notes?: readonly string[];
  /** True if the text has only the passages that answer the question. */
  readonly isAnswer?: boolean;
}
