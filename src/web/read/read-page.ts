import { decodePage } from "./decode-page.ts";
import { readFeed, readJsonFeed } from "./feed-text.ts";
import { readHtml } from "./html/read-html.ts";
import type { SourceKind } from "./page-kind.ts";
import type { FetchedPage, PageText } from "./page-text.ts";
import { findPassages } from "./passages.ts";
import { readPlain } from "./plain-page.ts";

export interface PageQuestion {
  readonly question?: string;
  /** The maximum length of the passages that answer the question. */
  readonly maxAnswerChars?: number;
}

/** The text of a page whose kind is known. May take long: call it in a thread. */
export function readPage(
  source: FetchedPage,
  kind: Exclude<SourceKind, "document" | "binary">,
  question: PageQuestion = {},
): PageText {
  const { text } = decodePage(source.bytes, source.contentType);
  const page = readKind(text, kind, source.url);
  return answered({ ...page, wholeLength: page.markdown.length }, question);
}

/** The page with the passages that answer the question instead of its whole text. */
export function answered(page: PageText, { question, maxAnswerChars }: PageQuestion): PageText {
  if (question === undefined || question.trim() === "") return page;
  const { markdown, isAnswer } = findPassages(page.markdown, question, maxAnswerChars);
  const note = "No passage has words of the question: this is the beginning of the page.";
  return { ...page, markdown, notes: isAnswer ? page.notes : [...page.notes, note] };
}

function readKind(
  text: string,
  kind: Exclude<SourceKind, "document" | "binary">,
  url: string,
): Omit<PageText, "wholeLength"> {
  if (kind === "html") return readHtml(text, url);
  if (kind === "feed") return readFeed(text, url);
  return (kind === "json" ? readJsonFeed(text, url) : undefined) ?? readPlain(text, kind);
}
