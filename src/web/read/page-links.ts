import type { PageLink } from "./page-text.ts";

/** Links of a page, each address numbered once. */
export class PageLinks {
  readonly list: PageLink[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #byHref = new Map<string, number | undefined>();
  readonly #base: URL | undefined;
  readonly #page: string;

  constructor(pageUrl: string, baseHref?: string) {
    const page = URL.canParse(pageUrl) ? new URL(pageUrl) : undefined;
    this.#base = baseHref !== undefined && URL.canParse(baseHref, page?.href) ? new URL(baseHref, page?.href) : page;
    this.#page = page === undefined ? "" : withoutFragment(page.href);
  }

  /** Undefined for anchors in the same page, scripts and URLs that cannot be opened. */
  number(href: string): number | undefined {
    if (this.#byHref.has(href)) return this.#byHref.get(href);
    const number = this.#newNumber(href);
    if (this.#byHref.size < maxLinks) this.#byHref.set(href, number);
    return number;
  }

  #newNumber(href: string): number | undefined {
    const url = this.resolve(href);
    if (url === undefined || withoutFragment(url) === this.#page) return undefined;
    const earlier = this.#numbers.get(url);
    if (earlier !== undefined || this.list.length >= maxLinks) return earlier;
    const number = this.list.length + 1;
    this.list.push({ number, url });
    this.#numbers.set(url, number);
    return number;
  }

  resolve(href: string): string | undefined {
    const text = href.trim();
    if (text === "" || text.startsWith("#") || text.length > maxUrlChars) return undefined;
    const url = URL.parse(text, this.#base?.href);
    return url !== null && openable.has(url.protocol) ? url.href : undefined;
  }
}

/** The links that a part of the text mentions, one line each, in Markdown reference syntax. */
export function linkReferences(text: string, links: readonly PageLink[]): string {
  const mentioned = new Set(Array.from(text.matchAll(/\]\[(\d+)\]/gu), ([, number]) => Number(number)));
  return links
    .filter(({ number }) => mentioned.has(number))
    .map(({ number, url }) => `[${number}]: ${url}`)
    .join("\n");
}

function withoutFragment(url: string): string {
  const index = url.indexOf("#");
  return index < 0 ? url : url.slice(0, index);
}

const openable: ReadonlySet<string> = new Set(["http:", "https:", "ftp:", "mailto:", "tel:"]);
const maxLinks = 20_000;
const maxUrlChars = 4096;
