import { drop, type PageElement } from "./page-element.ts";
import { rowCells, tableRows } from "./table-text.ts";
import { headingTags } from "./tags.ts";

/**
 * Drops elements around and inside an article that are not part of it. Inside the frame, text is kept; outside of it,
 * only the title before the article and the lines below the title are kept.
 */
export function dropBesideArticle(article: PageElement, frame: PageElement, body: PageElement): void {
  let isInFrame = true;
  for (let current = article; current !== body && current.parent; current = current.parent) {
    if (current === frame) isInFrame = false;
    let isBefore = true;
    const siblings = Array.from(current.parent.elements());
    const repeated = repeatedNames(siblings);
    // Posts of a thread: one of them was mistaken for the article.
    repeated.delete(nameOf(current));
    for (const sibling of siblings) {
      if (sibling === current) isBefore = false;
      else if (sibling.isDropped) continue;
      else if (isInFrame ? !belongs(sibling, isBefore, repeated) : !(isBefore && isHead(sibling))) drop(sibling);
      else if (isBefore && hasTitle(sibling)) cleanHead(sibling);
    }
    dropEmptySections(siblings.slice(siblings.indexOf(current) + 1));
  }
  cleanArticle(article);
}

/** True for text, titles before the article and pictures; false for lists of links, entries, teasers and controls. */
function belongs(sibling: PageElement, isBefore: boolean, repeated: ReadonlySet<string>): boolean {
  const { tag, textSize, linkSize, proseSize } = sibling;
  if (textSize === 0) return true;
  const links = linkSize / textSize;
  if (headingTags.has(tag)) return isBefore ? links < 0.5 || tag === "h1" : links < 0.3;
  if (isBefore && (isHead(sibling) || hasTitle(sibling))) return links < 0.6;
  if (links > 0.3) return false;
  if (tag === "table" && isTable(sibling)) return true;
  if (!isBefore && !threadNames.test(namesOf(sibling)) && (repeated.has(nameOf(sibling)) || hasEntries(sibling)))
    return false;
  if (tag === "p" || tag === "pre" || tag === "blockquote" || tag === "figure") return true;
  return proseSize * 2 >= textSize;
}

/** A data table with headers, and not a layout table. */
function isTable(table: PageElement): boolean {
  return tableRows(table).some((row) => rowCells(row).some((cell) => cell.tag === "th"));
}

/** The title, or a short text that introduces the article. */
function isHead(element: PageElement): boolean {
  if (element.textSize === 0 || element.textSize > maxHeadChars || element.linkSize * 2 > element.textSize)
    return false;
  return element.tag === "h1" || leadNames.test(element.attribute("class") ?? "") || hasTitle(element);
}

/** Drops headings without text. */
function dropEmptySections(siblings: readonly PageElement[]): void {
  let heading: PageElement | undefined;
  for (const sibling of siblings) {
    if (sibling.isDropped || sibling.textSize === 0) continue;
    const isHeading = headingTags.has(sibling.tag);
    if (isHeading && heading) drop(heading);
    heading = isHeading ? sibling : undefined;
  }
  if (heading) drop(heading);
}

/** Keeps only titles and the text below them: no dates, names and buttons. */
function cleanHead(head: PageElement): void {
  for (const child of head.elements()) {
    if (child.isDropped || headingTags.has(child.tag) || !child.hasBlock) continue;
    if (hasTitle(child)) cleanHead(child);
    else if (child.linkSize * 3 > child.textSize || !(child.proseSize > 0 || isHead(child))) drop(child);
  }
}

/** Comments and teasers: three or more consecutive elements with the same name. */
function hasEntries(element: PageElement, depth = 0): boolean {
  const children = Array.from(element.elements()).filter((child) => !child.isDropped);
  const repeated = Array.from(repeatedNames(children));
  if (repeated.length > 0) return !repeated.every((name) => threadNames.test(name));
  return depth < 4 && children.some((child) => child.textSize * 2 > element.textSize && hasEntries(child, depth + 1));
}

function repeatedNames(elements: readonly PageElement[]): Set<string> {
  const counts = new Map<string, number>();
  for (const element of elements) {
    const name = nameOf(element);
    if (name !== "" && element.textSize > 0) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return new Set(
    Array.from(counts)
      .filter(([, count]) => count >= 3)
      .map(([name]) => name),
  );
}

function namesOf(element: PageElement): string {
  return `${element.attribute("class") ?? ""} ${element.attribute("id") ?? ""}`;
}

/** Empty for elements without a class, and for paragraphs. */
function nameOf(element: PageElement): string {
  const first = element.attribute("class")?.trim().split(/\s+/u, 1)[0] ?? "";
  return first === "" || !entryTags.has(element.tag) ? "" : `${element.tag}.${first}`;
}

function hasTitle(element: PageElement): boolean {
  for (const child of element.elements()) if (!child.isDropped && (child.tag === "h1" || hasTitle(child))) return true;
  return false;
}

/** Boxes of links in the article. A list below a heading is part of the text. */
function cleanArticle(article: PageElement): void {
  let isBelowHeading = false;
  for (const child of article.elements()) {
    if (child.isDropped || child.textSize === 0 || !child.hasBlock) continue;
    const links = child.linkSize / child.textSize;
    if (boxTags.has(child.tag) && links > 0.6 && child.proseSize < 100) {
      if (!isBelowHeading || child.tag === "div") drop(child);
    } else if (child.tag !== "table") cleanArticle(child);
    isBelowHeading = headingTags.has(child.tag);
  }
}

const boxTags: ReadonlySet<string> = new Set([
  "div",
  "ul",
  "ol",
  "section",
  "aside",
  "table",
  "dl",
  "header",
  "footer",
]);
const entryTags: ReadonlySet<string> = new Set(["div", "li", "article", "section", "table", "dl", "tr"]);
const leadNames =
  /(?:^|[\s_-])(?:chapo|lede|lead|abstract|articleabstract|standfirst|subtitle|subtitulo|antetitulo|subhead|subheadline|dek|deck|summary|intro|kicker|headline|excerpt|hgroup)(?:$|[\s_-])/iu;
/** Answers and posts are the content of a thread. */
const threadNames =
  /(?:^|[\s._-])(?:answers?|reply|replies|posts?|messages?|msg|thread|topic|discussion)(?:$|[\s_-])/iu;
const maxHeadChars = 1000;
