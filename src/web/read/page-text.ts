import type { Result } from "../../base/result.ts";
import type { ExtractedDocument } from "../../contracts/host/ports.ts";

/** A page as received from the network. */
export interface FetchedPage {
  readonly bytes: Uint8Array;
  /** The `content-type` header, with its parameters. */
  readonly contentType?: string;
  /** Address after redirects. Relative links are resolved against it. */
  readonly url: string;
}

/** The kind of content, by the header and by the bytes themselves. */
export type PageKind = "html" | "feed" | "json" | "xml" | "markdown" | "text" | "document";

export interface PageLink {
  /** The text refers to it as `[…][number]`. */
  readonly number: number;
  readonly url: string;
}

/** Facts that a page states about itself. */
export interface PageFacts {
  readonly title?: string;
  readonly site?: string;
  readonly byline?: string;
  /** The date as the page writes it, usually ISO 8601. */
  readonly date?: string;
  readonly canonical?: string;
  readonly description?: string;
  readonly language?: string;
}

export interface PageText extends PageFacts {
  readonly kind: PageKind;
  /** The content as Markdown, or the passages that answer the question. */
  readonly markdown: string;
  /** The links of `markdown`, by number. */
  readonly links: readonly PageLink[];
  /** True if the text probably appears only after scripts have run, so a browser would show more. */
  readonly needsScript: boolean;
  /** Length of the whole Markdown when `markdown` has passages only. */
  readonly wholeLength: number;
  /** Notes for the reader, one sentence each. */
  readonly notes: readonly string[];
}

/** The converter of PDF, Office, EPUB and RTF files. */
export type ReadDocument = (
  bytes: Uint8Array,
  signal: AbortSignal,
) => Promise<Result<ExtractedDocument, { readonly message: string }>>;
