import { dropBesideArticle } from "./article-siblings.ts";
import { isBesideContent } from "./boilerplate.ts";
import { drop, type PageElement, walk } from "./page-element.ts";

/** Drops everything except the content, and returns the element that contains it. */
export function selectContent(root: PageElement): PageElement {
  const body = findFirst(root, "body") ?? root;
  dropBesides(body, body.textSize);
  const isReference = hasCode(body);
  const landmark = landmarkOf(body);
  const frame = landmark ?? densest(body, isReference ? minReferenceShare : minDescentShare);
  const article = isReference ? undefined : articleIn(frame);
  if (article === undefined) return frame;
  dropBesideArticle(article, frame, body);
  return body;
}

function findFirst(root: PageElement, tag: string): PageElement | undefined {
  let match: PageElement | undefined;
  walk(root, (element) => {
    if (element.tag === tag) match = element;
    return match !== undefined;
  });
  return match;
}

function dropBesides(element: PageElement, whole: number): void {
  for (const child of element.elements()) {
    // Highlighters name parts of code: comments of a program are not those of a page.
    if (child.isDropped || child.tag === "pre" || child.tag === "code") continue;
    // An element with most of the text is the content, whatever its name.
    if (isBesideContent(child) && child.textSize < whole * maxBesideShare) drop(child);
    else dropBesides(child, whole);
  }
}

function landmarkOf(body: PageElement): PageElement | undefined {
  let best = undefined as PageElement | undefined;
  walk(body, (element) => {
    const isLandmark = element.tag === "main" || element.attribute("role") === "main";
    if (isLandmark && element.textSize > (best?.textSize ?? 0)) best = element;
  });
  return best && best.textSize >= body.textSize * minLandmarkShare ? best : undefined;
}

/** Descends while one child has nearly all of the text, and nearly all text that looks like sentences. */
function densest(body: PageElement, minShare: number): PageElement {
  let current = body;
  for (;;) {
    if (current.proseSize < minArticleChars) return current;
    let next: PageElement | undefined;
    for (const child of current.elements())
      if (
        !child.isDropped &&
        child.hasBlock &&
        !lineTags.has(child.tag) &&
        child.proseSize >= current.proseSize * minShare &&
        child.textSize >= current.textSize * minTextShare
      )
        next = child;
    if (!next) return current;
    current = next;
  }
}

/** The element whose own paragraphs have the most text; undefined when most of the text is not in sentences. */
function articleIn(frame: PageElement): PageElement | undefined {
  const scores = new Map<PageElement, number>();
  walk(frame, (element) => {
    if (element.ownProse === 0) return;
    let up = lineTags.has(element.tag) ? element.parent : element;
    for (let share = 1; up && share > 0.2; share /= 2, up = up.parent) {
      scores.set(up, (scores.get(up) ?? 0) + element.ownProse * share);
      if (up === frame) break;
    }
  });
  let best: { readonly element: PageElement; readonly score: number } | undefined;
  for (const [element, sum] of scores) {
    const score = sum * (1 - element.linkSize / Math.max(element.textSize, 1));
    if (score > (best?.score ?? 0)) best = { element, score };
  }
  if (!best) return undefined;
  const { proseSize } = best.element;
  if (proseSize < minArticleChars || proseSize * 4 < frame.proseSize) return undefined;
  // A short text above a list is an introduction to it.
  return proseSize < shortArticleChars && proseSize * 2 < frame.textSize ? undefined : best.element;
}

/** Pages with code are documentation: their lists of links are content. */
function hasCode(body: PageElement): boolean {
  let code = 0;
  return walk(body, ({ tag, textSize }) => {
    if (textSize > 0 && (tag === "pre" || tag === "code" || tag === "tt")) code++;
    return code >= minCodeElements;
  });
}

const lineTags: ReadonlySet<string> = new Set([
  "p",
  "li",
  "pre",
  "blockquote",
  "dd",
  "dt",
  "figcaption",
  "h1",
  "h2",
  "h3",
  "h4",
  "h5",
  "h6",
]);
const maxBesideShare = 0.5;
const minLandmarkShare = 0.3;
const minDescentShare = 0.85;
const minReferenceShare = 0.97;
const minTextShare = 0.5;
const minArticleChars = 250;
const shortArticleChars = 600;
const minCodeElements = 3;
