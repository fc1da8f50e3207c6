import type { PageWish } from "../fetch/fetch-page.ts";

/** Someone who turns addresses into texts: Hermes itself, a service, a plugin. */
export interface ExtractBackend {
  /** As the settings name it. */
  readonly name: string;
  /** At least one entry for each page; entries for other addresses are ignored. Never rejects. */
  extract(pages: readonly PageWish[], options: ExtractOptions): Promise<readonly Extracted[]>;
}

export interface ExtractOptions {
  readonly signal: AbortSignal;
  readonly question?: string;
  /** Of the passages that answer the question. */
  readonly maxAnswerChars?: number;
}

export type Extracted = ExtractedPage | { readonly url: string; readonly error: string };

export interface ExtractedPage {
  /** As it was asked for. */
  readonly url: string;
  readonly title: string;
  readonly markdown: string;
  /** The addresses of the numbered links in a part of the text, one line each. */
  readonly references?: (part: string) => string;
  readonly notes?: readonly string[];
  /** The text has only the passages that answer the question. */
  readonly isAnswer?: boolean;
}
