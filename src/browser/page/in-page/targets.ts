import type { DomElement, DomGlobal, DomNode, DomRect, DomRoot } from "./dom.ts";
import type { ElementFacts } from "./element-facts.ts";
import type { FoundNodes } from "./element-kinship.ts";
import type { ElementNumbers } from "./element-numbers.ts";

/** Describes an element in a few words, for messages. */
export interface ElementWords {
  readonly role: string;
  readonly name: string;
  readonly number: number;
}

export type TargetPoint =
  | { readonly how: "found"; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  | { readonly how: "gone" }
  | { readonly how: "disabled" }
  | { readonly how: "invisible" | "outside" }
  | { readonly how: "covered"; readonly by: ElementWords };

export interface FieldFacts {
  readonly role: string;
  readonly type: string;
  readonly tag: string;
  readonly value: string;
  readonly isChecked: boolean;
  readonly isDisabled: boolean;
  readonly isReadOnly: boolean;
  readonly isMultiple: boolean;
  readonly isSecret: boolean;
  readonly options: readonly { readonly label: string; readonly value: string; readonly isDisabled: boolean }[];
  readonly words: ElementWords;
}

export interface Targets {
  point(number: number): Promise<TargetPoint>;
  /** Converts a point of a frame to a point of the page around it. */
  fromFrame(number: number, x: number, y: number): TargetPoint;
  field(number: number): FieldFacts | undefined;
  /** Focuses the element and selects its text. */
  selectText(number: number): boolean;
  /** Sets fields that cannot be typed into. Returns the new value. */
  setValue(number: number, value: string): string;
  setOptions(number: number, values: readonly string[]): void;
  scrollTo(number: number): boolean;
  scroll(
    direction: string,
    number?: number,
  ): {
    readonly isMoved: boolean;
    readonly top: number;
    readonly left: number;
    readonly height: number;
    readonly view: number;
  };
  boxes(
    numbers: readonly number[],
  ): readonly { readonly number: number; readonly box: Pick<DomRect, "left" | "top" | "width" | "height"> }[];
  words(number: number): ElementWords | undefined;
  /** Returns the elements that are still in the document. */
  alive(numbers: readonly number[]): readonly number[];
  hasText(text: string): boolean;
  images(): readonly { readonly src: string; readonly alt: string; readonly width: number; readonly height: number }[];
}

/** Runs in the page: it may use only its parameters. */
export function createTargets(
  page: DomGlobal,
  facts: ElementFacts,
  numbers: ElementNumbers,
  extra: FoundNodes,
): Targets {
  const { tagOf, attribute } = facts;

  function live(number: number): DomElement | undefined {
    const element = numbers.element(number);
    return element?.isConnected ? element : undefined;
  }

  function wordsOf(element: DomElement): ElementWords {
    const role = facts.roleOf(element) || (tagOf(element) === "label" ? "label" : "clickable");
    return { role, name: facts.nameOf(element, role).slice(0, 80), number: numbers.of(element) };
  }

  function parentOf(node: DomNode): DomNode | null {
    const { parentNode } = node;
    const root = node as DomRoot;
    return parentNode ?? root.host ?? null;
  }

  function isWithin(node: DomNode | null, ancestor: DomElement): boolean {
    for (let each = node; each; each = parentOf(each)) if (each === ancestor) return true;
    return false;
  }

  function deepest(x: number, y: number): DomElement | null {
    let hit = page.document.elementFromPoint(x, y);
    for (;;) {
      const shadow = hit && (facts.shadowOf(hit) ?? extra.closedRoots.get(hit));
      const inner = shadow ? shadow.elementFromPoint(x, y) : null;
      if (!inner || inner === hit) return hit;
      hit = inner;
    }
  }

  /** The element to name if `hit` covers the target: the dialog or control that it belongs to. */
  function named(hit: DomElement): DomElement {
    for (let each: DomNode | null = hit; each; each = parentOf(each)) {
      if (!facts.isElement(each)) continue;
      if (/^(?:dialog|alertdialog)$/u.test(facts.roleOf(each)) || attribute(each, "aria-modal") === "true") return each;
    }
    for (let each: DomNode | null = hit; each; each = parentOf(each)) {
      if (!facts.isElement(each) || each === page.document.body) continue;
      if (facts.roleOf(each) !== "") return each;
      const { position } = page.getComputedStyle(each);
      if (position === "fixed" || position === "sticky") return each;
    }
    return hit;
  }

  const nextFrame = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 40);
      (page as unknown as { requestAnimationFrame(done: () => void): void }).requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });

  function boxOf(element: DomElement): DomRect {
    const box = element.getBoundingClientRect();
    if (box.width > 0 && box.height > 0) return box;
    // An inline link around a block has no box of its own.
    for (const child of element.querySelectorAll("*")) {
      const inner = child.getBoundingClientRect();
      if (inner.width > 1 && inner.height > 1) return inner;
    }
    return box;
  }

  function isInView({ left, top, right, bottom }: DomRect): boolean {
    return left < page.innerWidth && right > 0 && top < page.innerHeight && bottom > 0;
  }

  function pointsOf(element: DomElement): readonly (readonly [number, number])[] {
    const rects = Array.from(element.getClientRects()).filter(({ width, height }) => width > 0 && height > 0);
    const boxes = rects.length > 0 ? rects.slice(0, 4) : [boxOf(element)];
    return boxes.flatMap((box) => {
      const [left, right] = [Math.max(box.left, 0), Math.min(box.right, page.innerWidth)];
      const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, page.innerHeight)];
      if (right <= left || bottom <= top) return [];
      const spot = (x: number, y: number) => [left + (right - left) * x, top + (bottom - top) * y] as const;
      return [
        spot(0.5, 0.5),
        spot(0.25, 0.5),
        spot(0.75, 0.5),
        spot(0.5, 0.2),
        spot(0.5, 0.8),
        spot(0.05, 0.1),
        spot(0.95, 0.9),
      ];
    });
  }

  function isHit(hit: DomElement | null, element: DomElement): boolean {
    if (!hit) return false;
    if (isWithin(hit, element)) return true;
    // Clicking a label in front of its control has the same effect.
    const label = hit.closest("label");
    if (label?.control === element) return true;
    return tagOf(element) === "label" && element.control === hit;
  }

  async function point(number: number): Promise<TargetPoint> {
    const element = live(number);
    if (!element) return { how: "gone" };
    if (element.matches(":disabled")) return { how: "disabled" };
    let box = boxOf(element);
    if (!isInView(box) || box.top < 0 || box.bottom > page.innerHeight || isInScroller(element))
      element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    for (let frame = 0; frame < 12; frame++) {
      const before = boxOf(element);
      await nextFrame();
      if (!element.isConnected) return { how: "gone" };
      box = boxOf(element);
      if (box.left === before.left && box.top === before.top && box.width === before.width) break;
    }
    const style = page.getComputedStyle(element);
    if (box.width === 0 || box.height === 0 || style.visibility !== "visible") return { how: "invisible" };
    const points = pointsOf(element);
    let first: DomElement | null = null;
    for (const [x, y] of points) {
      const hit = deepest(x, y);
      if (isHit(hit, element)) return { how: "found", x, y, width: box.width, height: box.height };
      first ??= hit;
    }
    if (points.length === 0 || !first) return { how: "outside" };
    // The element itself ignores clicks, or another element covers it.
    return { how: "covered", by: wordsOf(named(first)) };
  }

  function isInScroller(element: DomElement): boolean {
    const box = element.getBoundingClientRect();
    for (let each = element.parentElement; each && each !== page.document.body; each = each.parentElement) {
      if (each.scrollHeight <= each.clientHeight && each.scrollWidth <= each.clientWidth) continue;
      const outer = each.getBoundingClientRect();
      if (box.top < outer.top || box.bottom > outer.bottom || box.left < outer.left || box.right > outer.right)
        return true;
    }
    return false;
  }

  function fromFrame(number: number, x: number, y: number): TargetPoint {
    const element = live(number);
    if (!element) return { how: "gone" };
    const box = element.getBoundingClientRect();
    const scale = element.offsetWidth > 0 ? box.width / element.offsetWidth : 1;
    const style = page.getComputedStyle(element) as unknown as { paddingLeft: string; paddingTop: string };
    const [padX, padY] = [Number.parseFloat(style.paddingLeft) || 0, Number.parseFloat(style.paddingTop) || 0];
    const left = box.left + (element.clientLeft + padX + x) * scale;
    const top = box.top + (element.clientTop + padY + y) * scale;
    if (left < 0 || top < 0 || left >= page.innerWidth || top >= page.innerHeight) return { how: "outside" };
    const hit = deepest(left, top);
    if (hit && hit !== element) return { how: "covered", by: wordsOf(named(hit)) };
    return { how: "found", x: left, y: top, width: box.width, height: box.height };
  }

  function controlOf(element: DomElement): DomElement {
    return tagOf(element) === "label" && element.control ? element.control : element;
  }

  function field(number: number): FieldFacts | undefined {
    const labelled = live(number);
    if (!labelled) return undefined;
    const element = controlOf(labelled);
    const tag = tagOf(element);
    const type = tag === "input" ? element.type : "";
    const name = `${attribute(element, "name")} ${attribute(element, "autocomplete")} ${attribute(element, "id")}`;
    const options = tag === "select" ? Array.from(element.options) : [];
    return {
      role: facts.roleOf(element),
      type,
      tag,
      value: tag === "input" || tag === "textarea" || tag === "select" ? element.value : facts.textOf(element, 5000),
      isChecked:
        tag === "input"
          ? element.checked
          : attribute(element, "aria-checked") === "true" || attribute(element, "aria-pressed") === "true",
      isDisabled: element.matches(":disabled") || attribute(element, "aria-disabled") === "true",
      isReadOnly: (tag === "input" || tag === "textarea") && element.readOnly === true,
      isMultiple: element.multiple === true,
      isSecret:
        type === "password" ||
        /passw|secret|token|otp|cvc|cvv|card-?number|cc-(?:number|csc)|one-time-code/iu.test(name),
      options: options.map((option) => ({
        label: facts.tidy(option.label),
        value: option.value,
        isDisabled: option.disabled,
      })),
      words: { ...wordsOf(element), number },
    };
  }

  function selectText(number: number): boolean {
    const labelled = live(number);
    if (!labelled) return false;
    const element = controlOf(labelled);
    element.focus({ preventScroll: true });
    if (element.select) element.select();
    else {
      const range = page.document.createRange();
      range.selectNodeContents(element);
      const selection = page.getSelection();
      selection?.removeAllRanges();
      selection?.addRange(range);
    }
    const active = element.getRootNode().activeElement;
    return active === element || isWithin(active, element) || element.isContentEditable;
  }

  function changed(element: DomElement): void {
    element.dispatchEvent(new page.Event("input", { bubbles: true, composed: true }));
    element.dispatchEvent(new page.Event("change", { bubbles: true }));
  }

  function setValue(number: number, value: string): string {
    const element = live(number);
    if (!element) return "";
    element.focus({ preventScroll: true });
    element.value = value;
    changed(element);
    return element.value;
  }

  function setOptions(number: number, values: readonly string[]): void {
    const element = live(number);
    if (!element) return;
    element.focus({ preventScroll: true });
    for (const option of element.options) option.selected = values.includes(option.value);
    changed(element);
  }

  function scrollTo(number: number): boolean {
    const element = live(number);
    element?.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    return element !== undefined;
  }

  /** The nearest scrollable ancestor in this direction. */
  function scrollerOf(element: DomElement | undefined, isAcross: boolean): DomElement | undefined {
    for (let each: DomNode | null = element ?? null; each; each = parentOf(each)) {
      if (!facts.isElement(each)) continue;
      const { overflowX, overflowY } = page.getComputedStyle(each);
      const overflow = isAcross ? overflowX : overflowY;
      const hasMore = isAcross ? each.scrollWidth > each.clientWidth + 1 : each.scrollHeight > each.clientHeight + 1;
      if (hasMore && /auto|scroll|overlay/u.test(overflow)) return each;
    }
    return page.document.scrollingElement ?? undefined;
  }

  /** The part of the page that a wheel over the middle of the view scrolls. */
  function mainScroller(isAcross: boolean): DomElement | undefined {
    const root = page.document.scrollingElement ?? undefined;
    const hasMore =
      root && (isAcross ? root.scrollWidth > page.innerWidth + 1 : root.scrollHeight > page.innerHeight + 1);
    return hasMore ? root : scrollerOf(deepest(page.innerWidth / 2, page.innerHeight / 2) ?? undefined, isAcross);
  }

  function scroll(direction: string, number?: number): ReturnType<Targets["scroll"]> {
    const isAcross = direction === "left" || direction === "right";
    const scroller = number === undefined ? mainScroller(isAcross) : scrollerOf(live(number), isAcross);
    if (!scroller) return { isMoved: false, top: 0, left: 0, height: 0, view: 0 };
    const isRoot = scroller === page.document.scrollingElement;
    const [width, view] = isRoot ? [page.innerWidth, page.innerHeight] : [scroller.clientWidth, scroller.clientHeight];
    const before = [scroller.scrollTop, scroller.scrollLeft];
    const moves: Record<string, readonly [number, number]> = {
      up: [0, -view * 0.8],
      down: [0, view * 0.8],
      left: [-width * 0.8, 0],
      right: [width * 0.8, 0],
      top: [0, -scroller.scrollHeight],
      bottom: [0, scroller.scrollHeight],
    };
    const [x, y] = moves[direction] ?? [0, 0];
    (scroller as unknown as { scrollBy(options: object): void }).scrollBy({ left: x, top: y, behavior: "instant" });
    return {
      isMoved: before[0] !== scroller.scrollTop || before[1] !== scroller.scrollLeft,
      top: Math.round(scroller.scrollTop),
      left: Math.round(scroller.scrollLeft),
      height: scroller.scrollHeight,
      view,
    };
  }

  function boxes(requested: readonly number[]): ReturnType<Targets["boxes"]> {
    return requested.flatMap((number) => {
      const element = live(number);
      const box = element && boxOf(element);
      if (!box || box.width < 2 || box.height < 2 || !isInView(box)) return [];
      return [{ number, box: { left: box.left, top: box.top, width: box.width, height: box.height } }];
    });
  }

  return {
    point,
    fromFrame,
    field,
    selectText,
    setValue,
    setOptions,
    scrollTo,
    scroll,
    boxes,
    words(number) {
      const element = live(number);
      return element && wordsOf(element);
    },
    alive: (requested) => requested.filter((number) => live(number) !== undefined),
    hasText(text) {
      const { body } = page.document;
      return body !== null && facts.textOf(body, 5_000_000).toLowerCase().includes(facts.tidy(text).toLowerCase());
    },
    images: () =>
      Array.from(page.document.images)
        .slice(0, 500)
        .map((image) => ({
          src: image.currentSrc || image.src,
          alt: facts.tidy(attribute(image, "alt")).slice(0, 300),
          width: image.naturalWidth,
          height: image.naturalHeight,
        })),
  };
}
