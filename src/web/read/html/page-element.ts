/** An element of a page: a light tree without the parts of a DOM that a reader does not need. */
export class PageElement {
  readonly tag: string;
  readonly parent: PageElement | undefined;
  readonly children: (PageElement | string)[] = [];
  /** Names and values, alternating. */
  readonly attributes: string[] = [];
  /** Visible characters, with white space counted once. `measurePage` sets the sizes. */
  textSize = 0;
  /** The characters inside links. */
  linkSize = 0;
  /** The characters in blocks that look like sentences. */
  proseSize = 0;
  /** The characters of its own lines, without nested blocks. */
  ownProse = 0;
  /** True if neither the element nor any of its descendants is part of the text. */
  isDropped = false;
  /** True if the element is a block or contains one. */
  hasBlock = false;

  constructor(tag: string, parent: PageElement | undefined) {
    this.tag = tag;
    this.parent = parent;
  }

  attribute(name: string): string | undefined {
    for (let index = 0; index < this.attributes.length; index += 2)
      if (this.attributes[index] === name) return this.attributes[index + 1];
    return undefined;
  }

  *elements(): Generator<PageElement> {
    for (const child of this.children) if (typeof child !== "string") yield child;
  }
}

/** Visits all elements in document order, except dropped ones and those in them, until `visit` returns true. */
export function walk(element: PageElement, visit: (element: PageElement) => boolean | void): boolean {
  for (const child of element.children)
    if (typeof child !== "string" && !child.isDropped && (visit(child) === true || walk(child, visit))) return true;
  return false;
}

/** All text of an element, white space collapsed. Stops soon after `maxChars`. */
export function elementText(element: PageElement, maxChars = 4096): string {
  const parts: string[] = [];
  let length = 0;
  const collect = (from: PageElement): void => {
    for (const child of from.children) {
      if (length > maxChars) return;
      if (typeof child === "string") {
        const part = child.slice(0, maxChars);
        parts.push(part);
        length += part.length;
      } else if (!child.isDropped) {
        collect(child);
        if (child.hasBlock || child.tag === "br") parts.push(" ");
      }
    }
  };
  collect(element);
  return parts.join("").replaceAll(/\s+/gu, " ").trim();
}

/** Drops an element from the page, and subtracts its sizes from all ancestors. */
export function drop(element: PageElement): void {
  if (element.isDropped) return;
  element.isDropped = true;
  for (let up = element.parent; up; up = up.parent) {
    up.textSize -= element.textSize;
    up.linkSize -= element.linkSize;
    up.proseSize -= element.proseSize;
  }
}
