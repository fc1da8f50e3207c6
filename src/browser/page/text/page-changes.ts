import type { ItemMark } from "./neighbours.ts";
import { nodeText, type OutlineLimits } from "./node-text.ts";
import { outline } from "./outline.ts";
import type { PageItem, PageNode } from "./page-tree.ts";

/** The difference between two readings of the same document. */
export interface PageChanges {
  /** New and changed parts, with the containers around them. */
  readonly items: readonly PageItem[];
  readonly mark: ItemMark;
  /** Elements and texts that are no longer there. */
  readonly removed: readonly PageNode[];
  readonly goneTexts: readonly string[];
  readonly changed: readonly (readonly [PageItem, "+" | "~"])[];
  /** Whether more than half of the old elements are gone. */
  readonly isMostlyNew: boolean;
  readonly isSame: boolean;
}

export function pageChanges(before: readonly PageItem[], after: readonly PageItem[]): PageChanges {
  const [old, now] = [inventory(before), inventory(after)];
  const marks = new Map<PageItem, "+" | "~">();
  /** Texts that can still be matched with an old text. */
  const texts = new Map(old.texts);

  function kept(items: readonly PageItem[], path: string): readonly PageItem[] {
    return items.flatMap((item): readonly PageItem[] => {
      if (typeof item === "string") {
        const key = textKey(path, item);
        const count = texts.get(key) ?? 0;
        if (count > 0) {
          texts.set(key, count - 1);
          return [];
        }
        // A string has no identity, so a separate node carries the mark.
        const text: PageNode = { role: "text", name: item };
        marks.set(text, "+");
        return item === "" ? [] : [text];
      }
      const before = item.ref === undefined ? undefined : old.nodes.get(item.ref);
      const isFresh = item.ref !== undefined && before === undefined;
      // The whole element is new, unless an old element moved into it.
      if (isFresh && !hasOld(item, old.nodes)) return [marked(item, "+")];
      const inner = item.items && kept(item.items, pathOf(path, item));
      if (isFresh) return [marked(inner ? { ...item, items: inner } : item, "+")];
      if (before !== undefined && ownText(before) !== ownText(item)) {
        const { items: _, options, states, ...rest } = item;
        const isOther = options && options.join("|") !== before.options?.join("|");
        const own: PageNode = { ...rest, ...(states && { states: steady(states) }), ...(isOther && { options }) };
        return [marked(inner && inner.length > 0 ? { ...own, items: inner } : own, "~")];
      }
      if (item.ref === undefined && item.items === undefined) {
        const key = textKey(path, ownText(item));
        const count = texts.get(key) ?? 0;
        if (count > 0) {
          texts.set(key, count - 1);
          return [];
        }
        return [marked(item, "+")];
      }
      if (!inner || inner.length === 0) return [];
      const isNew = inner.length === item.items?.length && inner.every((each) => marks.get(each) === "+");
      if (isNew && item.ref === undefined) return [marked(item, "+")];
      const { ref: _, ...rest } = item;
      return [structural.has(item.role) ? { ...rest, items: inner } : { ...item, items: inner }];
    });
  }

  function marked(node: PageNode, sign: "+" | "~"): PageNode {
    marks.set(node, sign);
    return node;
  }

  const items = kept(after, "");
  const removed = [...old.nodes].filter(([ref]) => !now.nodes.has(ref)).map(([, node]) => node);
  const goneTexts: string[] = [];
  for (const [key, count] of old.texts)
    if (count > (now.texts.get(key) ?? 0)) goneTexts.push(shownPart(key.slice(key.indexOf("\n") + 1)));
  return {
    items,
    mark: (item) => marks.get(item),
    removed,
    goneTexts,
    changed: [...marks],
    isMostlyNew: 2 * removed.length > old.nodes.size,
    isSame: items.length === 0 && removed.length === 0 && goneTexts.length === 0,
  };
}

const structural: ReadonlySet<string> = new Set(["list", "items", "table", "row", "cell", "listitem", "item"]);

/** The changes as lines for a model. */
export function changesText(changes: PageChanges, limits: OutlineLimits): string {
  const lines: string[] = [];
  if (changes.items.length > 0) lines.push(outline(changes.items, { limits, mark: changes.mark }));
  const names = changes.removed.map((node) => nodeText({ ...node, ...noDetails }, { ...limits, text: 40 }));
  // Reports a container that was removed with all its content as one change.
  if (names.length > 0) lines.push(`gone: ${listed(names, 6)}`);
  const texts = changes.goneTexts.filter((text) => text.length > 1).map((text) => `"${text.slice(0, 60)}"`);
  if (texts.length > 0) lines.push(`gone text: ${listed(texts, 4)}`);
  return lines.join("\n");
}

const noDetails = { states: [], options: [] } as const;

function listed(words: readonly string[], maxWords: number): string {
  const rest = words.length - maxWords;
  return `${words.slice(0, maxWords).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

interface Inventory {
  readonly nodes: ReadonlyMap<number, PageNode>;
  /** How often each text occurs in each container. */
  readonly texts: ReadonlyMap<string, number>;
}

function inventory(items: readonly PageItem[]): Inventory {
  const nodes = new Map<number, PageNode>();
  const texts = new Map<string, number>();
  const count = (key: string) => texts.set(key, (texts.get(key) ?? 0) + 1);
  const visit = (list: readonly PageItem[], path: string): void => {
    for (const item of list) {
      if (typeof item === "string") {
        if (item !== "") count(textKey(path, item));
        continue;
      }
      if (item.ref !== undefined) nodes.set(item.ref, item);
      else if (item.items === undefined) count(textKey(path, ownText(item)));
      if (item.items) visit(item.items, pathOf(path, item));
    }
  };
  visit(items, "");
  return { nodes, texts };
}

function hasOld({ items = [] }: PageNode, nodes: ReadonlyMap<number, PageNode>): boolean {
  return items.some(
    (item) => typeof item !== "string" && ((item.ref !== undefined && nodes.has(item.ref)) || hasOld(item, nodes)),
  );
}

/** Identifies containers by reference or name; a position would change with every new sibling. */
function pathOf(path: string, { role, ref, name }: PageNode): string {
  return ref === undefined && name === undefined ? path : `${path}/${ref ?? `${role} ${name}`}`;
}

function textKey(path: string, text: string): string {
  return `${path}\n${text}`;
}

function ownText({ role, name, states = [], value, level, options = [] }: PageNode): string {
  return [role, name, steady(states).join(" "), value, level, options.join("|")].join(separator);
}

/** The text of an element without a reference as a person reads it: its name. */
function shownPart(text: string): string {
  const [role = "", name] = text.split(separator);
  return name === undefined || name === "" ? role : name;
}

const separator = "\u0001";

/** The focus moves with each click, so it is not a change. */
function steady(states: readonly string[]): readonly string[] {
  return states.filter((state) => state !== "focused");
}
