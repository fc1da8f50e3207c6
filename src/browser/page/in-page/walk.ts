import type { FrameTree, PageItem, PageNode } from "../text/page-tree.ts";
import type { DomElement, DomGlobal, DomNode } from "./dom.ts";
import type { ElementFacts } from "./element-facts.ts";
import type { ElementKinship, FoundNodes } from "./element-kinship.ts";
import type { ElementNumbers } from "./element-numbers.ts";

export interface PageWalkLimits {
  readonly elements: number;
  readonly chars: number;
  readonly ms: number;
}

type WritableNode = { -readonly [Key in keyof PageNode]: PageNode[Key] };

/** Walks a document and returns what a user would see. Runs in the page, so it may use only its parameters. */
export function createWalk(
  page: DomGlobal,
  facts: ElementFacts,
  numbers: ElementNumbers,
  extra: FoundNodes,
  kinship: ElementKinship,
): (limits: PageWalkLimits, from?: DomElement) => FrameTree {
  const { isClickable, itemKeyOf, keyOf, replacesHiddenText, targetOf } = kinship;
  const { tagOf, attribute, hasAttributes, childrenOf, childCountOf, shadowOf, isElement } = facts;
  const { styleOf, boxOf, findIn, roleOf, nameOf, statesOf, valueOf, tidy, isUnreadable } = facts;
  const skipped = new Set(
    "script style noscript template head meta link title base param source track datalist".split(" "),
  );
  const leaves = new Set(
    "link button option menuitem menuitemcheckbox menuitemradio tab checkbox radio switch slider spinbutton textbox searchbox file date color progressbar meter img video audio disclosure heading".split(
      " ",
    ),
  );
  const landmarks = new Set(
    "banner navigation main complementary contentinfo search form region dialog alertdialog alert status list listitem table row cell columnheader group radiogroup tablist tabpanel menu menubar tree toolbar listbox article".split(
      " ",
    ),
  );
  const named = new Set(
    "form group region dialog alertdialog navigation table list radiogroup tablist menu toolbar article tabpanel listbox".split(
      " ",
    ),
  );
  const insideSelector =
    "a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=checkbox], [role=radio], [role=tab], [role=menuitem], [role=option], [role=switch], [contenteditable=true], iframe";

  return (limits, from) => {
    const { document } = page;
    const { performance: pageClock } = page;
    const endAt = pageClock.now() + limits.ms;
    let visited = 0;
    let chars = 0;
    let isCut = false;
    let depth = 0;
    /** The list that receives items, and whether its last text is complete. */
    let isOpen = false;
    const hosts: number[] = [];

    const isOver = () => {
      if (!isCut && (visited > limits.elements || chars > limits.chars)) isCut = true;
      if (!isCut && visited % 256 === 0 && pageClock.now() > endAt) isCut = true;
      return isCut;
    };

    function addText(out: PageItem[], raw: string): void {
      const text = tidy(raw);
      const isTidy = text === raw;
      const hasLead = !isTidy && /^\s/u.test(raw);
      if (text === "") {
        const previous = out.at(-1);
        if (raw !== "" && isOpen && typeof previous === "string" && !previous.endsWith(" "))
          out[out.length - 1] = `${previous} `;
        return;
      }
      chars += text.length;
      const trail = !isTidy && /\s$/u.test(raw) ? " " : "";
      const before = out.at(-1);
      if (isOpen && typeof before === "string")
        out[out.length - 1] = `${before}${hasLead && !before.endsWith(" ") ? " " : ""}${text}${trail}`;
      else out.push(text + trail);
      isOpen = true;
    }

    function addNode(out: PageItem[], node: WritableNode): void {
      chars += (node.name?.length ?? 0) + (node.value?.length ?? 0) + 10;
      out.push(node);
      isOpen = false;
    }

    interface Inherited {
      /** Whether an ancestor already has the cursor of a link. */
      readonly isPointer: boolean;
      /** Whether text here is invisible, because an ancestor is transparent or hidden from assistive programs. */
      readonly isMuted: boolean;
      /** Children of this tag and class are items of an unnamed list. */
      readonly itemKey: string;
    }

    function visitAll(nodes: Iterable<DomNode>, out: PageItem[], inherited: Inherited): void {
      // The depth is limited, because pages can nest elements endlessly.
      if (depth > 500) return visitFlat(nodes, out, inherited);
      depth += 1;
      for (const node of nodes) {
        if (isOver()) break;
        if (node.nodeType === 3) {
          if (!inherited.isMuted) addText(out, node.nodeValue ?? "");
        } else if (isElement(node)) visit(node, out, inherited);
      }
      depth -= 1;
    }

    let last: { readonly parent?: DomNode; readonly children: readonly DomNode[] } = { children: [] };
    /** The children, which are often needed twice in a row. */
    function listed(parent: DomNode): readonly DomNode[] {
      if (parent !== last.parent) last = { parent, children: childrenOf(parent) };
      return last.children;
    }

    /** Adds the texts and usable elements without their containers. */
    function visitFlat(nodes: Iterable<DomNode>, out: PageItem[], { isMuted }: Inherited): void {
      const waiting = [...nodes].toReversed();
      for (let node = waiting.pop(); node && !isOver(); node = waiting.pop()) {
        if (node.nodeType === 3 && !isMuted) addText(out, node.nodeValue ?? "");
        if (!isElement(node) || skipped.has(tagOf(node))) continue;
        visited += 1;
        const { display } = styleOf(node);
        if (display === "none" || (display !== "contents" && !facts.isShown(node))) continue;
        if (!display.startsWith("inline")) isOpen = false;
        const role = roleOf(node);
        if (facts.isUsable(role)) addNode(out, described(node, role, nameOf(node, role), statesOf(node, role)));
        else for (const child of [...contentOf(node)].toReversed()) waiting.push(child);
      }
    }

    function contentOf(element: DomElement): Iterable<DomNode> {
      const shadow = shadowOf(element) ?? extra.closedRoots.get(element);
      if (shadow) return listed(shadow);
      const tag = tagOf(element);
      if (tag.includes("-") && childCountOf(element) === 0 && hosts.length < 20) hosts.push(numbers.of(element));
      if (tag === "slot" && element.assignedNodes) {
        const assigned = element.assignedNodes({ flatten: true });
        if (assigned.length > 0) return assigned;
      }
      return listed(element);
    }

    /** Whether the element directly contains text. */
    function hasOwnText(element: DomElement): boolean {
      return listed(element).some((child) => child.nodeType === 3 && /\S/u.test(child.nodeValue ?? ""));
    }

    function visit(element: DomElement, out: PageItem[], inherited: Inherited): void {
      const tag = tagOf(element);
      if (skipped.has(tag)) return;
      visited += 1;
      const style = styleOf(element);
      const role = roleOf(element);
      const isUsable = facts.isUsable(role);
      // One engine call usually answers for an element: reading style properties is slow.
      const isShown = facts.isShown(element);
      const isOwnBlock = (isUsable && role !== "link") || landmarks.has(role) || role === "heading";
      const display = isShown && isOwnBlock ? "block" : style.display;
      if (display === "none") return;
      if (tag === "br") {
        isOpen = false;
        return;
      }
      const isInline = display.startsWith("inline") || display === "contents";
      const isSeen = isShown || style.visibility === "visible";
      const isField = tag === "input" || tag === "select" || tag === "textarea";
      const isFaint = !isShown && style.opacity === "0";
      if (!isField && display !== "contents" && facts.isClipped(element, style, display)) {
        if (!findIn(element, insideSelector)) return;
        inherited = { ...inherited, isMuted: true };
      }
      const isAriaHidden = hasAttributes(element) && attribute(element, "aria-hidden") === "true";
      let isMuted = inherited.isMuted || isFaint || !isSeen;
      if (isAriaHidden && !isMuted) isMuted = !replacesHiddenText(element);
      if (!isMuted && !isUsable && hasOwnText(element) && isUnreadable(style, isInline)) isMuted = true;
      if (isMuted && !isField && !isSeen && isUsable) return;
      const isPointer = inherited.isPointer || (isUsable && leaves.has(role)) || style.cursor === "pointer";
      const kept = { isPointer, isMuted, itemKey: "" };

      if (tag === "label" && element.control) return visitLabel(element, out, kept);
      if (role === "frame") return addFrame(element, out, isMuted);
      if (isUsable) return addUsable(element, role, out, kept, style);
      if (!isMuted && isClickable(element, style, isPointer && !inherited.isPointer))
        return addClickable(element, out, kept);
      if (!isInline) isOpen = false;
      if (role === "heading") {
        const level = Number(attribute(element, "aria-level")) || Number(tag[1]) || 2;
        if (findIn(element, insideSelector)) {
          const items: PageItem[] = [];
          visitAll(contentOf(element), items, kept);
          if (items.length > 0) addNode(out, { role, level, items });
          return;
        }
        const name = isMuted ? "" : nameOf(element, role);
        if (name) addNode(out, { role, name, level });
        return;
      }
      if (role === "img" || role === "progressbar" || role === "meter") {
        if (isMuted && !isAriaHidden) return;
        const name = isMuted ? "" : nameOf(element, role);
        const value = valueOf(element, role);
        const box = name === "" && value === undefined ? undefined : boxOf(element);
        if (box && box.width > 1 && box.height > 1) addNode(out, { role, name, ...(value !== undefined && { value }) });
        else if (tag === "svg" && findIn(element, "a")) visitAll(contentOf(element), out, kept);
        return;
      }
      if (role === "term") {
        const text = isMuted ? "" : facts.textOf(element, 300);
        if (findIn(element, insideSelector)) visitAll(contentOf(element), out, kept);
        else if (text) addText(out, `${text.replace(/:$/u, "")}: `);
        return;
      }
      if (tag === "dd") {
        visitAll(contentOf(element), out, kept);
        isOpen = false;
        return;
      }
      const isItem = inherited.itemKey !== "" && inherited.itemKey === keyOf(element);
      if (landmarks.has(role) || isItem)
        return addContainer(element, isItem && (role === "" || role === "article") ? "item" : role, out, kept);
      const itemKey = itemKeyOf(element);
      if (itemKey !== "") {
        const items: PageItem[] = [];
        isOpen = false;
        visitAll(contentOf(element), items, { ...kept, itemKey });
        const own = items.filter((item) => typeof item !== "string" && item.role === "item").length;
        if (own >= 3) addNode(out, { role: "items", ref: numbers.of(element), items });
        else
          out.push(
            ...items.flatMap((item) =>
              typeof item !== "string" && item.role === "item" ? (item.items ?? []) : [item],
            ),
          );
      } else visitAll(contentOf(element), out, kept);
      if (!isInline) isOpen = false;
    }

    function visitLabel(label: DomElement, out: PageItem[], inherited: Inherited): void {
      const control = label.control;
      if (!control) return;
      const isInside = label.contains(control);
      const style = styleOf(control);
      const isHidden =
        style.display === "none" ||
        style.visibility !== "visible" ||
        (style.opacity === "0" && facts.isClipped(control, style)) ||
        facts.isClipped(control, style);
      if (isHidden) {
        // The page draws its own box for the control, so the user clicks the label.
        const role = roleOf(control);
        if (facts.isUsable(role) && !inherited.isMuted)
          addNode(
            out,
            described(label, role, facts.textOf(label, 300) || nameOf(control, role), statesOf(control, role)),
          );
        return;
      }
      for (const node of childrenOf(label)) {
        if (!isElement(node)) continue;
        if (isInside && (node === control || node.contains(control)))
          visit(node, out, { ...inherited, isMuted: node === control ? inherited.isMuted : true, itemKey: "" });
        else
          for (const other of node.matches(insideSelector) ? [node] : node.querySelectorAll(insideSelector))
            visit(other, out, { ...inherited, itemKey: "" });
      }
    }

    function described(element: DomElement, role: string, name: string, states: string[]): WritableNode {
      return { role, ...(name !== "" && { name }), ref: numbers.of(element), ...(states.length > 0 && { states }) };
    }

    function addUsable(
      element: DomElement,
      role: string,
      out: PageItem[],
      inherited: Inherited,
      style: { opacity: string },
    ): void {
      const tag = tagOf(element);
      const isField = tag === "input" || tag === "select" || tag === "textarea";
      const box = boxOf(element);
      const isEmpty = box.width <= 1 || box.height <= 1;
      if (isEmpty && role !== "option" && !(childCountOf(element) > 0 && findIn(element, "*")?.getClientRects().length))
        return;
      if (isField && style.opacity === "0" && inherited.isMuted && box.right <= 0) return;
      const node = described(element, role, nameOf(element, role), statesOf(element, role));
      const value = valueOf(element, role);
      if (value !== undefined && value !== "") node.value = tidy(value).slice(0, 500);
      if (role === "link" && tag === "a") {
        const to = targetOf(element);
        if (to) node.to = to;
      }
      const options = tag === "select" ? facts.optionsOf(element) : [];
      if (options.length > 0) node.options = options;
      const isTree = !leaves.has(role) && tag !== "select";
      if (isTree || (childCountOf(element) > 0 && !isField && role !== "textbox" && findIn(element, insideSelector))) {
        const items: PageItem[] = [];
        isOpen = false;
        visitAll(contentOf(element), items, inherited);
        if (items.some((item) => typeof item !== "string")) {
          node.items = items;
          delete node.name;
          const label = tidy(attribute(element, "aria-label"));
          if (label) node.name = label;
        }
      }
      addNode(out, node);
    }

    function addClickable(element: DomElement, out: PageItem[], inherited: Inherited): void {
      const box = boxOf(element);
      const isEmpty = box.width <= 1 || box.height <= 1;
      const inner: Inherited = { ...inherited, isPointer: true };
      if (isEmpty) return visitAll(contentOf(element), out, inner);
      const isGroup =
        findIn(element, `${insideSelector}, h1, h2, h3, h4, h5, h6, li, tr, [onclick], [tabindex]`) !== null ||
        shadowOf(element) !== null;
      const tag = tagOf(element);
      if (tag === "tr" || tag === "li" || tag === "td" || isGroup) {
        const items: PageItem[] = [];
        isOpen = false;
        visitAll(contentOf(element), items, inner);
        const role = roleOf(element);
        if (items.length > 0)
          addNode(out, { role: landmarks.has(role) ? role : "clickable", ref: numbers.of(element), items });
        return;
      }
      addNode(out, described(element, "clickable", nameOf(element, "clickable"), statesOf(element, "")));
    }

    function addFrame(element: DomElement, out: PageItem[], isMuted: boolean): void {
      const box = boxOf(element);
      if (isMuted || box.width <= 4 || box.height <= 4) return;
      const name = tidy(attribute(element, "title") || attribute(element, "name"));
      addNode(out, { role: "frame", ...(name !== "" && { name }), ref: numbers.of(element) });
    }

    function addContainer(element: DomElement, role: string, out: PageItem[], inherited: Inherited): void {
      const items: PageItem[] = [];
      isOpen = false;
      const itemKey = role === "list" || role === "table" || role === "row" ? "" : itemKeyOf(element);
      visitAll(contentOf(element), items, { ...inherited, itemKey });
      isOpen = false;
      if (items.length === 0) return;
      const name = named.has(role) ? nameOf(element, role) : "";
      const inner = role === "list" && name === "" && items.length === 1 ? onlyListIn(items[0]) : undefined;
      if (inner) return addNode(out, inner);
      const needsRef = role === "list" || role === "table" || role === "dialog" || role === "alertdialog";
      const states = role === "row" || role === "listitem" || role === "cell" ? statesOf(element, role) : [];
      const isOwnLine = name !== "" && items.length > 0 && items[0] === name;
      addNode(out, {
        role,
        ...(name !== "" && { name }),
        ...(needsRef && { ref: numbers.of(element) }),
        ...(states.length > 0 && { states }),
        items: isOwnLine ? items.slice(1) : items,
      });
    }

    /** The list that is the whole content of a list item. */
    function onlyListIn(item: PageItem | undefined): PageNode | undefined {
      if (item === undefined || typeof item === "string" || item.role !== "listitem" || item.states) return undefined;
      const [only] = item.items?.length === 1 ? item.items : [];
      return only !== undefined && typeof only !== "string" && only.role === "list" ? only : undefined;
    }

    const out: PageItem[] = [];
    const start = from ?? document.body ?? document.documentElement;
    const none = { isPointer: false, isMuted: false, itemKey: "" };
    if (start) visit(start, out, none);
    const root = document.scrollingElement ?? document.documentElement;
    return {
      url: document.location.href,
      title: tidy(document.title).slice(0, 300),
      items: out,
      elements: visited,
      ...((isCut as boolean) && { isCut: true as const }),
      ...(hosts.length > 0 && { hosts }),
      scroll: {
        top: Math.round(page.scrollY),
        view: page.innerHeight,
        height: root?.scrollHeight ?? page.innerHeight,
      },
    };
  };
}
