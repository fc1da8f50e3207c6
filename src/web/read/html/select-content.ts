import { isBesideContent } from "./boilerplate.ts";
import { descendants, type PageElement } from "./page-element.ts";

/** Drops what is beside the content, and returns the element that holds the content. */
export function selectContent(root: PageElement): PageElement {
  const body = findFirst(root, "body") ?? root;
  dropBesides(body, body.textSize);
  const landmark = landmarkOf(body);
  return landmark ?? densest(body);
}

function findFirst(root: PageElement, tag: string): PageElement | undefined {
  for (const element of descendants(root)) if (element.tag === tag) return element;
  return undefined;
}

/** Takes the sizes of an element out of all around it. */
export function drop(element: PageElement): void {
  if (element.isDropped) return;
  element.isDropped = true;
  for (let up = element.parent; up; up = up.parent) {
    up.textSize -= element.textSize;
    up.linkSize -= element.linkSize;
    up.proseSize -= element.proseSize;
  }
}

function dropBesides(element: PageElement, whole: number): void {
  for (const child of element.elements()) {
    if (child.isDropped) continue;
    // An element with most of the text is the page itself, whatever it is called.
    if (isBesideContent(child) && child.textSize < whole * maxBesideShare) drop(child);
    else dropBesides(child, whole);
  }
}

function landmarkOf(body: PageElement): PageElement | undefined {
  let best: PageElement | undefined;
  for (const element of descendants(body)) {
    const isLandmark = element.tag === "main" || element.attribute("role") === "main";
    if (isLandmark && element.textSize > (best?.textSize ?? 0)) best = element;
  }
  if (best && best.textSize >= body.textSize * minLandmarkShare) return best;
  return undefined;
}

/** Goes down while one child has nearly all of the text that reads like sentences. */
function densest(body: PageElement): PageElement {
  let current = body;
  for (;;) {
    const whole = current.proseSize;
    let next: PageElement | undefined;
    for (const child of current.elements())
      if (!child.isDropped && child.hasBlock && child.proseSize >= whole * minDescentShare) next = child;
    if (!next || whole === 0) return current;
    current = next;
  }
}

const maxBesideShare = 0.5;
const minLandmarkShare = 0.3;
const minDescentShare = 0.85;
