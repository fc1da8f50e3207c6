import type { DomElement, DomGlobal, DomRoot } from "./dom.ts";
import type { ElementFacts } from "./element-facts.ts";

/** Nodes that only the protocol can find: roots of closed shadow trees, and elements with click listeners. */
export interface FoundNodes {
  readonly closedRoots: WeakMap<DomElement, DomRoot>;
  readonly listening: WeakSet<DomElement>;
}

/** Relations of an element to its neighbours. */
export interface ElementKinship {
  replacesHiddenText(element: DomElement): boolean;
  isClickable(element: DomElement, style: { pointerEvents: string }, hasOwnPointer: boolean): boolean;
  targetOf(link: DomElement): string;
  keyOf(element: DomElement): string;
  itemKeyOf(element: DomElement): string;
}

/** Runs in the page: it may use only its parameters. */
export function createElementKinship(page: DomGlobal, facts: ElementFacts, extra: FoundNodes): ElementKinship {
  const { tagOf, attribute, hasAttribute, hasAttributes, childrenOf, childCountOf, shadowOf, isElement, styleOf } =
    facts;
  const ownRoot = `${page.document.location.origin}/`;

  /** If visible text is next to the same text for assistive programs, only the visible one is shown. */
  function replacesHiddenText(element: DomElement): boolean {
    const siblings = element.parentElement?.children;
    if (!siblings || siblings.length < 2 || siblings.length > 6 || !/\d/u.test(element.textContent ?? "")) return false;
    return Array.from(siblings).some((other) => other !== element && facts.isClipped(other, styleOf(other)));
  }

  function isClickable(element: DomElement, style: { pointerEvents: string }, hasOwnPointer: boolean): boolean {
    const tag = tagOf(element);
    if (tag === "html" || tag === "body") return false;
    const isTarget =
      (hasOwnPointer && tag !== "label") ||
      extra.listening.has(element) ||
      (hasAttributes(element) && hasTargetAttribute(element));
    return isTarget && style.pointerEvents !== "none";
  }

  function hasTargetAttribute(element: DomElement): boolean {
    if (hasAttribute(element, "onclick") || hasAttribute(element, "onmousedown")) return true;
    const tabIndex = attribute(element, "tabindex");
    return tabIndex !== "" && Number(tabIndex) >= 0 && !isScroller(element);
  }

  function isScroller(element: DomElement): boolean {
    return element.scrollHeight > element.clientHeight + 4 && element.clientHeight > 0;
  }

  function targetOf(link: DomElement): string {
    // For a link in an SVG drawing, the property is an object.
    const { href } = link as { readonly href: unknown };
    if (typeof href !== "string") return "";
    if (href.startsWith(ownRoot)) return href.slice(ownRoot.length - 1);
    return href.startsWith("javascript:") || !URL.canParse(href) ? "" : href;
  }

  function keyOf(element: DomElement): string {
    return `${tagOf(element)}.${/\S+/u.exec(attribute(element, "class"))?.[0] ?? ""}`;
  }

  /** The tag and class that the majority of children share, if they look like a list. */
  function itemKeyOf(element: DomElement): string {
    if (childCountOf(element) < 4) return "";
    const counts = new Map<string, number>();
    let total = 0;
    for (const child of childrenOf(element)) {
      if (!isElement(child)) continue;
      total += 1;
      const tag = tagOf(child);
      if (tag !== "div" && tag !== "article" && tag !== "section" && tag !== "li" && !tag.includes("-")) continue;
      // A paragraph of text is not a list item, because items have several parts.
      if (childCountOf(child) === 0 && !shadowOf(child)) continue;
      const key = keyOf(child);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [key, count] of counts) if (count >= 4 && count >= total * 0.6) return key;
    return "";
  }

  return { replacesHiddenText, isClickable, targetOf, keyOf, itemKeyOf };
}
