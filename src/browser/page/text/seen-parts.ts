import type { PageTree } from "../page-reader.ts";
import { nodeText } from "./node-text.ts";
import { compactLimits, outline } from "./outline.ts";
import type { PageItem, PageNode } from "./page-tree.ts";

/** The pages that the model saw last, so that another page of the same site need not repeat their parts. */
export interface SeenParts {
  /** Remembers a page that the model sees. */
  note(tree: PageTree): void;
  /**
   * The page, with one line for each run of parts that were on the page before, if it is of the same site. A page that
   * the model went back to is compared with its last visit.
   */
  condensed(tree: PageTree, isReturn: boolean): readonly PageItem[];
}

export function createSeenParts(): SeenParts {
  /** Newest first. */
  let pages: readonly PageTree[] = [];

  return {
    note(tree) {
      pages = [tree, ...pages.filter(({ url }) => url !== tree.url)].slice(0, maxPages);
    },
    condensed(tree, isReturn) {
      const [last] = pages;
      const visit = isReturn ? pages.find(({ url }) => url === tree.url) : undefined;
      const base = visit ?? (last && siteOf(last) === siteOf(tree) ? last : undefined);
      if (!base || siteOf(base) === "null") return tree.items;
      return condense(tree.items, base, base === last ? "as before" : "as on the last visit");
    },
  };
}

function condense(items: readonly PageItem[], base: PageTree, when: string): readonly PageItem[] {
  /** Small numbers for contents, so that a container compares as fast as a text. */
  const contents = new Map<string, number>();
  const idOf = (content: string): number => {
    const id = contents.get(content) ?? contents.size;
    contents.set(content, id);
    return id;
  };
  const ids = new Map<PageNode, number>();
  const contentOf = (item: PageItem): number => {
    if (typeof item === "string") return idOf(`"${item}`);
    const { role, name, ref, states = [], value, level, to, options = [], items: inner = [] } = item;
    const steady = states.filter((state) => state !== "focused");
    const own = [role, name, ref, value, level, to, steady.join("|"), options.join("|")].join("\u0001");
    const id = ids.get(item) ?? idOf(`${own}\u0001${inner.map((one) => contentOf(one)).join(" ")}`);
    ids.set(item, id);
    return id;
  };
  const parts = new Set<string>();
  const collect = (list: readonly PageItem[], path: string): void => {
    for (const item of list) {
      parts.add(`${path}#${contentOf(item)}`);
      if (isOpened(item)) collect(item.items ?? [], pathOf(path, item));
    }
  };
  const shorten = (list: readonly PageItem[], path: string): readonly PageItem[] => {
    const result: PageItem[] = [];
    let run: PageItem[] = [];
    const flush = () => {
      for (const item of folded(run, when)) result.push(item);
      run = [];
    };
    for (const item of list) {
      if (!isNews(item) && parts.has(`${path}#${contentOf(item)}`)) {
        run.push(item);
        continue;
      }
      flush();
      result.push(isOpened(item) ? { ...item, items: shorten(item.items ?? [], pathOf(path, item)) } : item);
    }
    flush();
    return result;
  };
  collect(base.items, "");
  return shorten(items, "");
}

const maxPages = 6;

/** Whether an item is or contains a message to the user: it is shown even if the last message was the same. */
function isNews(item: PageItem): boolean {
  return typeof item !== "string" && (messages.has(item.role) || (item.items ?? []).some((inner) => isNews(inner)));
}

const messages: ReadonlySet<string> = new Set(["alert", "status", "dialog", "alertdialog"]);

/** Whether the parts of an element are compared one by one. Lists and tables are repeated whole or not at all. */
function isOpened(item: PageItem): item is PageNode {
  return typeof item !== "string" && item.items !== undefined && containers.has(item.role);
}

const containers: ReadonlySet<string> = new Set(
  "banner navigation main complementary contentinfo search region form group article dialog tabpanel toolbar".split(
    " ",
  ),
);

function pathOf(path: string, { role, name = "" }: PageNode): string {
  return `${path}/${role} ${name}`;
}

function siteOf({ url }: PageTree): string {
  return URL.parse(url)?.origin ?? "null";
}

/** A run of repeated parts as one line, unless the parts themselves are hardly longer. */
function folded(run: readonly PageItem[], when: string): readonly PageItem[] {
  const [limits] = compactLimits;
  const [first] = run;
  if (first === undefined || limits === undefined) return run;
  const words = [first, ...run.slice(1).slice(-1)].map((item) => wordsOf(item)).join(" … ");
  const line = `= ${words}${refRange(run)} (${when})`;
  return outline(run, { limits, maxChars: 1000 }).length > line.length + minSaved ? [{ role: "group", line }] : run;
}

/** The saving that justifies a line that sends the reader to an earlier result. */
const minSaved = 30;

function wordsOf(item: PageItem): string {
  const [limits] = compactLimits;
  if (limits === undefined) return "";
  const short = { ...limits, text: 30 };
  if (typeof item === "string") return nodeText({ role: "text", name: item }, short);
  const { role, name } = item;
  if (role === "heading") return `# ${nodeText({ role: "text", name: name ?? "" }, short)}`;
  return nodeText({ role, ...(name !== undefined && { name }) }, short);
}

function refRange(items: readonly PageItem[]): string {
  const refs = refsOf(items);
  const [first] = refs;
  if (first === undefined) return "";
  const [min, max] = [refs.reduce((a, b) => Math.min(a, b), first), refs.reduce((a, b) => Math.max(a, b), first)];
  return min === max ? ` @e${min}` : ` @e${min}-@e${max}`;
}

function refsOf(items: readonly PageItem[]): readonly number[] {
  return items.flatMap((item) =>
    typeof item === "string" ? [] : [...(item.ref === undefined ? [] : [item.ref]), ...refsOf(item.items ?? [])],
  );
}
