import { isObject, parsedJson } from "../../base/json.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { visible } from "./html/inline-text.ts";
import type { PageElement } from "./html/page-element.ts";
import { parseHtml } from "./html/parse-html.ts";
import { htmlFragment } from "./html/read-html.ts";
import { PageLinks } from "./page-links.ts";
import type { PageText } from "./page-text.ts";

interface FeedEntry {
  readonly title: string;
  readonly url: string;
  readonly date: string;
  readonly author: string;
  /** The body as Markdown. */
  readonly body: string;
}

type FeedText = Omit<PageText, "wholeLength">;

/** RSS, RDF, Atom, OPML and site maps as a list of entries. */
export function readFeed(xml: string, url: string): FeedText {
  const { root, isCut } = parseHtml(xml, { isXml: true });
  const links = new PageLinks(url);
  const top = Array.from(root.elements()).find(({ tag }) => !tag.startsWith("?"));
  if (!top) return feedText([], {}, links, ["The feed is empty or damaged."]);
  const channel = childNamed(top, "channel") ?? top;
  const entries = [...entriesOf(top), ...(channel === top ? [] : entriesOf(channel))].map((entry) =>
    readEntry(entry, links),
  );
  return feedText(
    entries,
    {
      title: textNamed(channel, "title") || textNamed(childNamed(top, "head") ?? top, "title"),
      description: textNamed(channel, "description", "subtitle", "tagline"),
      date: textNamed(channel, "lastbuilddate", "pubdate", "updated", "dc:date"),
      language: textNamed(channel, "language", "dc:language"),
    },
    links,
    isCut ? ["The feed is too large: its end is missing."] : [],
  );
}

/** A JSON feed, or undefined if the JSON is something else. */
export function readJsonFeed(json: string, url: string): FeedText | undefined {
  const feed = parsedJson(json);
  if (!isObject(feed) || !String(feed["version"]).includes("jsonfeed.org") || !Array.isArray(feed["items"]))
    return undefined;
  const links = new PageLinks(url);
  const entries = feed["items"].filter(isObject).map((item): FeedEntry => {
    const authors = Array.isArray(item["authors"]) ? item["authors"] : [item["author"]];
    return {
      title: oneLine(stringOf(item["title"])),
      url: stringOf(item["url"]) || stringOf(item["external_url"]),
      date: stringOf(item["date_published"]),
      author: authors
        .map((author) => (isObject(author) ? stringOf(author["name"]) : ""))
        .filter((name) => name !== "")
        .join(", "),
      body: item["content_html"]
        ? htmlFragment(stringOf(item["content_html"]), links)
        : stringOf(item["content_text"]) || stringOf(item["summary"]),
    };
  });
  const facts = {
    title: stringOf(feed["title"]),
    description: stringOf(feed["description"]),
    language: stringOf(feed["language"]),
  };
  return feedText(entries, facts, links, []);
}

function feedText(
  entries: readonly FeedEntry[],
  facts: { readonly title?: string; readonly description?: string; readonly date?: string; readonly language?: string },
  links: PageLinks,
  notes: readonly string[],
): FeedText {
  const parts = facts.title ? [`# ${facts.title}`] : [];
  if (facts.description) parts.push(facts.description);
  for (const entry of entries) {
    const number = links.number(entry.url);
    const title = entry.title || entry.url || "(no title)";
    const facts = [entry.date, entry.author].filter((each) => each !== "").join(" · ");
    parts.push(number === undefined ? `## ${title}` : `## [${title}][${number}]`);
    if (facts !== "") parts.push(facts);
    if (entry.body !== "" && entry.body !== entry.title) parts.push(entry.body.replaceAll(/^(#{1,4}) /gmu, "##$1 "));
  }
  const stated = Object.entries(facts).filter(([, value]) => value !== "");
  return {
    ...withoutUndefined(Object.fromEntries(stated)),
    kind: "feed",
    markdown: parts.join("\n\n"),
    links: links.list,
    needsScript: false,
    notes,
  };
}

/** Adds the entries to `entries`, because a list for each level would be copied as often as it is deep. */
function entriesOf(parent: PageElement, entries: PageElement[] = []): readonly PageElement[] {
  for (const child of parent.elements()) {
    if (entryTags.has(child.tag)) entries.push(child);
    if (child.tag === "body" || child.tag === "outline") entriesOf(child, entries);
  }
  return entries;
}

function readEntry(entry: PageElement, links: PageLinks): FeedEntry {
  const html = textNamed(entry, "content:encoded", "content", "description", "summary", "itunes:summary");
  const inline = childNamed(entry, "content");
  const body = inline && Array.from(inline.elements()).length > 0 ? serialised(inline) : html;
  return {
    title: oneLine(
      textNamed(entry, "title", "media:title") || entry.attribute("text") || entry.attribute("title") || "",
    ),
    url: linkOf(entry),
    date: oneLine(textNamed(entry, "pubdate", "published", "updated", "dc:date", "lastmod", "modified")),
    author: oneLine(
      textNamed(childNamed(entry, "author") ?? entry, "name") || textNamed(entry, "dc:creator", "author"),
    ),
    body: htmlFragment(body, links),
  };
}

function linkOf(entry: PageElement): string {
  const candidates = Array.from(entry.elements()).filter(({ tag }) => tag === "link");
  const chosen = candidates.find((link) => (link.attribute("rel") ?? "alternate") === "alternate") ?? candidates[0];
  return (
    (chosen && (chosen.attribute("href") ?? ownText(chosen).trim())) ||
    textNamed(entry, "loc", "guid", "id") ||
    entry.attribute("htmlurl") ||
    entry.attribute("xmlurl") ||
    entry.attribute("url") ||
    ""
  );
}

function childNamed(element: PageElement, name: string): PageElement | undefined {
  for (const child of element.elements()) if (child.tag === name) return child;
  return undefined;
}

/** The text of the first child that has one of the names, in their order. */
function textNamed(element: PageElement, ...names: readonly string[]): string {
  for (const name of names) {
    const child = childNamed(element, name);
    const text = child === undefined ? "" : ownText(child).trim();
    if (text !== "") return text;
  }
  return "";
}

function ownText(element: PageElement): string {
  return element.children.filter((child) => typeof child === "string").join("");
}

/** Atom may contain XHTML as elements. */
function serialised(element: PageElement): string {
  return element.children
    .map((child) => {
      if (typeof child === "string") return child.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
      const href = child.attribute("href") ?? child.attribute("src");
      const name = child.attribute("href") === undefined ? "src" : "href";
      const tag = child.tag.replace(/^\w+:/u, "");
      return `<${tag}${href === undefined ? "" : ` ${name}="${href.replaceAll('"', "&quot;")}"`}>${serialised(child)}</${tag}>`;
    })
    .join("");
}

function oneLine(text: string): string {
  const plain = text.includes("<") || text.includes("&") ? htmlFragment(text, new PageLinks("")) : text;
  return visible(plain).replaceAll(/\s+/gu, " ").trim();
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? visible(value) : "";
}

const entryTags: ReadonlySet<string> = new Set(["item", "entry", "url", "sitemap", "outline"]);
