import { ok, type Result } from "../../base/result.ts";
import type { FetchPage, PageWish } from "../fetch/fetch-page.ts";
import type { ExtractBackend, Extracted, ExtractOptions } from "./extract-backend.ts";
import type { PageReading } from "./page-reading.ts";

/** Loads the page in a browser and returns its HTML after the scripts have run. */
export type RenderPage = (
  url: string,
  signal: AbortSignal,
) => Promise<Result<{ readonly url: string; readonly html: string }>>;

export interface NativeExtractDeps {
  readonly fetchPage: FetchPage;
  readonly reading: PageReading;
  /** Undefined if there is no browser. */
  readonly renderPage?: RenderPage;
}

/** Hermes fetches and reads the pages itself. */
export function createNativeExtract(deps: NativeExtractDeps): ExtractBackend {
  return {
    name: "native",
    extract: (pages, options) => Promise.all(pages.map((page) => extractOne(page, options, deps))),
  };
}

async function extractOne(
  page: PageWish,
  { signal, question, maxAnswerChars }: ExtractOptions,
  { fetchPage, reading, renderPage }: NativeExtractDeps,
): Promise<Extracted> {
  const { url } = page;
  const fetched = await fetchPage(page, signal);
  if (!fetched.ok) return { url, error: fetched.error.message };
  const request = {
    signal,
    ...(question !== undefined && { question }),
    ...(maxAnswerChars !== undefined && { maxAnswerChars }),
  };
  const { body: bytes, contentType, url: finalUrl } = fetched.value;
  const first = await reading.read({ bytes, contentType, url: finalUrl }, request);
  if (!first.ok) return { url, error: first.error.message };
  let text = first.value;
  const notes: string[] = [];
  if (text.needsScript) {
    const rendered = await renderPage?.(finalUrl, signal);
    const again = rendered?.ok ? await reading.read(htmlSource(rendered.value), request) : undefined;
    if (again?.ok && again.value.markdown.length > text.markdown.length) text = { ...again.value, needsScript: false };
    else notes.push(scriptNote(rendered));
  }
  if (redirectsElsewhere(url, finalUrl)) notes.push(`The page is at ${finalUrl}.`);
  if (text.markdown.trim() === "") return { url, error: ["The page has no text.", ...notes].join(" ") };
  return {
    url,
    title: text.title ?? "",
    markdown: text.markdown,
    references: text.references,
    notes: [...text.notes, ...notes],
    ...(question !== undefined && { isAnswer: true }),
  };
}

function htmlSource({ url, html }: { readonly url: string; readonly html: string }) {
  return { url, contentType: "text/html; charset=utf-8", bytes: new TextEncoder().encode(html) };
}

function scriptNote(rendered: Awaited<ReturnType<RenderPage>> | undefined): string {
  if (rendered === undefined)
    return "The page seems to need JavaScript, so most of its text is missing. The browser tools show all of it, if they are available.";
  return rendered.ok
    ? "The page seems to need JavaScript; a browser found no more text."
    : `The page seems to need JavaScript, and the browser failed: ${rendered.error.message}`;
}

function redirectsElsewhere(start: string, finalUrl: string): boolean {
  const [from, to] = [URL.parse(start), URL.parse(finalUrl)];
  return from !== null && to !== null && from.hostname.replace(/^www\./u, "") !== to.hostname.replace(/^www\./u, "");
}

/** Reads a text that an external service returned. */
export async function onlyAnswer(
  markdown: string,
  question: string,
  reading: PageReading,
  options: ExtractOptions,
): Promise<Result<{ readonly markdown: string; readonly notes: readonly string[] }>> {
  const { signal, maxAnswerChars } = options;
  const passages = await reading.passages(markdown, {
    signal,
    question,
    ...(maxAnswerChars !== undefined && { maxAnswerChars }),
  });
  return passages.ok ? ok({ markdown: passages.value.markdown, notes: passages.value.notes }) : passages;
}
