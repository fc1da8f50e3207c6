import type { DomElement, DomGlobal, DomStyle } from "./dom.ts";
import type { NodeAccess } from "./node-access.ts";

/** Whether a person sees an element. Runs in the page: it may use only its parameters. */
export interface ElementVisibility {
  styleOf(element: DomElement): DomStyle;
  /**
   * Whether neither the element nor an ancestor hides it. Faster than reading the style; false for an element without
   * its own box.
   */
  isShown(element: DomElement): boolean;
  /** Whether an element with a box is invisible: clipped, without size, or outside the scrollable area. */
  isClipped(element: DomElement, style: DomStyle, display?: string): boolean;
  /** Whether text in the element has no size or is moved out of sight. */
  isUnreadable(style: DomStyle, isInline: boolean): boolean;
}

export function createElementVisibility(page: DomGlobal, { tagOf, boxOf }: NodeAccess): ElementVisibility {
  const { getComputedStyle } = page;
  /** Style objects are live, so one object per element serves all walks. */
  const styles = new WeakMap<DomElement, DomStyle>();
  const styleOf = (element: DomElement) => {
    const cached = styles.get(element);
    if (cached) return cached;
    const style = getComputedStyle.call(page, element);
    styles.set(element, style);
    return style;
  };
  const prototypes = page as unknown as Record<string, { prototype: DomElement }>;
  const checkVisibility = prototypes["Element"]?.prototype.checkVisibility;
  const seen = { opacityProperty: true, visibilityProperty: true };
  const isShown = (element: DomElement) => checkVisibility?.call(element, seen) ?? true;
  const replaced = new Set("img svg video canvas iframe embed object input".split(" "));

  function isClipped(element: DomElement, style: DomStyle, display = ""): boolean {
    // Position and clipping do not apply to inline text.
    if (display === "inline" && !replaced.has(tagOf(element))) return false;
    const { position, overflowX } = style;
    const isPlaced = position === "absolute" || position === "fixed";
    const isCut = overflowX !== "visible";
    if (!isPlaced && !isCut) return false;
    const { clip, clipPath } = style;
    if (clip !== "auto" && /^rect\((?:[01]px,? ?){4}\)$/u.test(clip)) return true;
    if (
      clipPath !== "none" &&
      /^(?:inset\((?:50|100)%|circle\(0|polygon\(0(?:px|%)? 0(?:px|%)?(?:, 0(?:px|%)? 0(?:px|%)?)*\))/u.test(clipPath)
    )
      return true;
    const box = boxOf(element);
    if (isCut && (box.width <= 1 || box.height <= 1)) return true;
    if (!isPlaced || (box.width === 0 && box.height === 0)) return false;
    const [left, top] = position === "fixed" ? [0, 0] : [page.scrollX, page.scrollY];
    if (box.right + left <= 0 || box.bottom + top <= 0) return true;
    return position === "fixed" && (box.left >= page.innerWidth || box.top >= page.innerHeight);
  }

  function isUnreadable(style: DomStyle, isInline: boolean): boolean {
    if (style.fontSize === "0px") return true;
    // Only blocks indent their text; their descendants inherit the answer.
    if (isInline) return false;
    const { textIndent } = style;
    return textIndent.startsWith("-") && Number.parseFloat(textIndent) < -500;
  }

  return { styleOf, isShown, isClipped, isUnreadable };
}
