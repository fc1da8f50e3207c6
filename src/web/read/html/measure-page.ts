import { hiddenByRules, isHidden } from "./hidden-text.ts";
import type { PageElement } from "./page-element.ts";
import { blockTags, headingTags, silentTags } from "./tags.ts";

/** Drops invisible elements, and computes the sizes of all elements. */
export function measurePage(root: PageElement, styles: readonly PageElement[]): void {
  const rules = styles.flatMap((style) =>
    style.children.flatMap((css) => (typeof css === "string" ? hiddenByRules(css) : [])),
  );
  const names = new Set(rules);
  measure(root, names, false);
  // A style sheet that hides most of the page expects a script to show it.
  if (names.size === 0) return;
  const visible = root.textSize;
  const hiddenSize = hiddenTextSize(root);
  if (hiddenSize > visible) measure(root, new Set(), false);
}

function measure(element: PageElement, hiddenNames: ReadonlySet<string>, isInLink: boolean): void {
  element.isDropped = false;
  element.textSize = 0;
  element.linkSize = 0;
  element.proseSize = 0;
  element.ownProse = 0;
  const isBlock = blockTags.has(element.tag);
  element.hasBlock = isBlock;
  if (isSilent(element) || isHidden(element, hiddenNames)) {
    element.isDropped = true;
    return;
  }
  const isLink = isInLink || (element.tag === "a" && element.attribute("href") !== undefined);
  let own = 0;
  let ownLink = 0;
  for (const child of element.children) {
    if (typeof child === "string") {
      const size = sizeOf(child);
      own += size;
      if (isLink) ownLink += size;
      continue;
    }
    measure(child, hiddenNames, isLink);
    if (child.isDropped) continue;
    if (child.hasBlock) {
      element.hasBlock = true;
      element.textSize += child.textSize;
      element.linkSize += child.linkSize;
      element.proseSize += child.proseSize;
    } else {
      own += child.textSize;
      ownLink += child.linkSize;
    }
  }
  element.textSize += own;
  element.linkSize += ownLink;
  if (!isBlock && !element.hasBlock) return;
  if (element.tag === "pre") element.ownProse = own;
  else if (own >= minProseChars && ownLink * 2 < own && !headingTags.has(element.tag)) element.ownProse = own - ownLink;
  element.proseSize += element.ownProse;
}

/** A button in a heading or a summary contains its text. */
function isSilent(element: PageElement): boolean {
  if (silentTags.has(element.tag))
    return element.tag !== "template" || element.attribute("shadowrootmode") === undefined;
  if (element.tag === "button")
    return !(element.parent && (headingTags.has(element.parent.tag) || carriers.has(element.parent.tag)));
  return element.tag === "noscript" || (element.tag === "dialog" && element.attribute("open") === undefined);
}

const carriers: ReadonlySet<string> = new Set(["summary", "dt", "legend"]);

/** The number of characters, without white space at the ends and with each run of it counted once. */
function sizeOf(text: string): number {
  let size = 0;
  let wasSpace = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isSpace = code <= 32 || code === 160;
    if (!isSpace || !wasSpace) size++;
    wasSpace = isSpace;
  }
  return wasSpace && size > 0 ? size - 1 : size;
}

function hiddenTextSize(element: PageElement): number {
  let size = 0;
  for (const child of element.children) {
    if (typeof child === "string") size += element.isDropped ? sizeOf(child) : 0;
    else if (!silentTags.has(child.tag))
      size += element.isDropped || child.isDropped ? allTextSize(child) : hiddenTextSize(child);
  }
  return size;
}

function allTextSize(element: PageElement): number {
  let size = 0;
  for (const child of element.children)
    size += typeof child === "string" ? sizeOf(child) : silentTags.has(child.tag) ? 0 : allTextSize(child);
  return size;
}

const minProseChars = 40;
