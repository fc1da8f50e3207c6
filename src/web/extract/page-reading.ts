import type { Result } from "../../base/result.ts";

/** Turns the bytes of a page into text, as `web/read` does. */
export interface PageReading {
  /** Never rejects. */
  read(
    source: { readonly bytes: Uint8Array; readonly contentType?: string; readonly url: string },
    options: ReadingOptions,
  ): Promise<Result<ReadText>>;
  /** The passages of a text that answer the question. Never rejects. */
  passages(markdown: string, options: ReadingOptions & { readonly question: string }): Promise<Result<ReadText>>;
}

interface ReadingOptions {
  readonly signal: AbortSignal;
  readonly question?: string;
  readonly maxAnswerChars?: number;
}

interface ReadText {
  readonly title?: string;
  readonly markdown: string;
  /** The addresses of the numbered links in a part of the text, one line each. */
  references(part: string): string;
  /** True if the text appears only after scripts have run. */
  readonly needsScript: boolean;
  readonly notes: readonly string[];
}
