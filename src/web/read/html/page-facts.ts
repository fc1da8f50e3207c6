import { isObject, parsedJson } from "../../../base/json.ts";
import { withoutUndefined } from "../../../base/without-undefined.ts";
import type { PageLinks } from "../page-links.ts";
import type { PageFacts } from "../page-text.ts";
import { visible } from "./inline-text.ts";
import { type PageElement, elementText } from "./page-element.ts";

/** Elements that state facts, collected in one walk. */
interface Statements {
  /** First value of each `meta` element, by name in lower case. */
  readonly meta: Map<string, string>;
  readonly linked: PageElement[];
  title?: string | undefined;
  heading?: string | undefined;
  language?: string | undefined;
  time?: string | undefined;
  author?: string | undefined;
  canonical?: string | undefined;
}

/** Facts in the head of a page, its structured data and its landmarks. */
export function pageFacts(root: PageElement, links: PageLinks): PageFacts {
  const stated: Statements = { meta: new Map(), linked: [] };
  collect(root, stated);
  const article = structuredArticle(stated.linked);
  const meta = (...names: readonly string[]) => names.map((name) => stated.meta.get(name)).find((value) => value);
  const canonical = stated.canonical ?? meta("og:url");
  const site = meta("og:site_name", "application-name") ?? article.publisher;
  return withoutUndefined({
    title: shortened(pageTitle(meta("og:title", "twitter:title", "dc.title") ?? article.headline, stated, site)),
    site: shortened(site),
    byline: shortened(
      meta("author", "article:author", "dc.creator", "byl", "parsely-author", "sailthru.author")?.replace(
        /^https?:\S+$/u,
        "",
      ) ||
        article.author ||
        stated.author,
    ),
    date: shortened(
      meta(
        "article:published_time",
        "date",
        "dc.date",
        "dc.date.issued",
        "pubdate",
        "publishdate",
        "parsely-pub-date",
        "sailthru.date",
        "datepublished",
      ) ??
        article.date ??
        stated.time,
    ),
    canonical: canonical === undefined ? undefined : links.resolve(canonical),
    description: shortened(meta("description", "og:description", "twitter:description")),
    language: shortened(stated.language ?? meta("og:locale", "content-language")),
  });
}

function collect(element: PageElement, stated: Statements): void {
  for (const child of element.elements()) {
    const { tag } = child;
    if (tag === "meta") {
      const name = (
        child.attribute("property") ??
        child.attribute("name") ??
        child.attribute("itemprop") ??
        child.attribute("http-equiv")
      )?.toLowerCase();
      const content = child.attribute("content")?.trim();
      if (name && content && !stated.meta.has(name)) stated.meta.set(name, content);
    } else if (tag === "title") stated.title ??= rawText(child);
    else if (tag === "html") stated.language ??= child.attribute("lang") ?? child.attribute("xml:lang");
    else if (tag === "link") {
      if (child.attribute("rel")?.toLowerCase() === "canonical") stated.canonical ??= child.attribute("href");
    } else if (tag === "script") {
      if (/ld\+json/iu.test(child.attribute("type") ?? "")) stated.linked.push(child);
    } else if (child.isDropped) {
      if (tag === "head") collect(child, stated);
      continue;
    } else if (tag === "h1") stated.heading ??= elementText(child, maxFactChars) || undefined;
    else if (tag === "time") stated.time ??= child.attribute("datetime");
    if (/\bauthor\b/u.test(child.attribute("itemprop") ?? child.attribute("rel") ?? ""))
      stated.author ??= elementText(child, maxFactChars) || undefined;
    if (/\bdatePublished\b/u.test(child.attribute("itemprop") ?? ""))
      stated.time ??= child.attribute("datetime") ?? child.attribute("content");
    if (child.children.length > 0) collect(child, stated);
  }
}

/** The site name at the end or the beginning of a title is removed. */
function pageTitle(
  stated: string | undefined,
  { title, heading }: Statements,
  site: string | undefined,
): string | undefined {
  const whole = stated ?? title;
  if (whole === undefined || whole === "") return heading;
  if (heading !== undefined && heading.length >= 8 && plain(whole).includes(plain(heading))) return heading;
  const parts = whole.split(/\s+[|·–—»:-]\s+/u);
  const rest = site === undefined ? [] : parts.filter((part) => plain(part) !== plain(site));
  return rest.length === 0 || rest.length === parts.length ? whole : rest.join(" – ");
}

interface StructuredArticle {
  readonly headline?: string;
  readonly author?: string;
  readonly date?: string;
  readonly publisher?: string;
}

/** Facts of JSON-LD about an article. */
function structuredArticle(scripts: readonly PageElement[]): StructuredArticle {
  for (const script of scripts.slice(0, 8)) {
    const parsed = parsedJson(rawText(script) ?? "");
    const items = Array.isArray(parsed)
      ? parsed
      : isObject(parsed) && Array.isArray(parsed["@graph"])
        ? parsed["@graph"]
        : [parsed];
    for (const item of items.slice(0, 50)) {
      if (!isObject(item) || !/(?:Article|Posting|WebPage)"?\]?$/u.test(JSON.stringify(item["@type"] ?? ""))) continue;
      return withoutUndefined({
        headline: nameOf(item["headline"]),
        author: nameOf(item["author"]),
        date: nameOf(item["datePublished"]),
        publisher: nameOf(item["publisher"]),
      });
    }
  }
  return {};
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (Array.isArray(value))
    return (
      value
        .slice(0, 5)
        .map(nameOf)
        .filter((name) => name !== undefined)
        .join(", ") || undefined
    );
  return isObject(value) ? nameOf(value["name"]) : undefined;
}

function rawText(element: PageElement): string | undefined {
  const text = element.children
    .filter((child) => typeof child === "string")
    .join("")
    .trim();
  return text === "" || text.length > maxScriptChars ? undefined : text;
}

function shortened(text: string | undefined): string | undefined {
  const line = visible(text ?? "")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return line === "" ? undefined : line.slice(0, maxFactChars);
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const maxFactChars = 500;
const maxScriptChars = 1_000_000;
