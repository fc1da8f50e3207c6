import { groupLines, rowGroup, isGroup, type ItemMark, neighbours, withoutEchoes } from "./neighbours.ts";
import { maxLine, nodeText, type OutlineLimits, quotedName, shownText, nodeStates } from "./node-text.ts";
import type { PageItem, PageNode } from "./page-tree.ts";

export const fullLimits: OutlineLimits = {
  items: 2000,
  text: 2000,
  texts: 5000,
  options: 4000,
  hasPaths: true,
  isTerse: false,
};

/** The limits from generous to tight. A page uses the first that fits. */
export const compactLimits: readonly OutlineLimits[] = [
  { items: 20, text: 160, texts: 6, options: 120, hasPaths: false, isTerse: true },
  { items: 12, text: 120, texts: 4, options: 80, hasPaths: false, isTerse: true },
  { items: 8, text: 80, texts: 3, options: 60, hasPaths: false, isTerse: true },
  { items: 5, text: 60, texts: 2, options: 40, hasPaths: false, isTerse: true },
  { items: 3, text: 40, texts: 1, options: 20, hasPaths: false, isTerse: true },
];

export interface OutlineWishes {
  readonly limits: OutlineLimits;
  /** The first item of the outermost list or table to show. */
  readonly offset?: number;
  /** The marks of lines. Default: none. */
  readonly mark?: ItemMark;
  /** Stops as soon as the text is longer than this; then only the fact that it is too long matters. */
  readonly maxChars?: number;
}

/** The page as lines for a model. */
export function outline(
  items: readonly PageItem[],
  { limits, offset = 0, mark, maxChars = Number.POSITIVE_INFINITY }: OutlineWishes,
): string {
  const lines: string[] = [];
  let chars = 0;
  const add = (depth: number, text: string, item?: PageItem) => {
    const sign = mark && item !== undefined ? mark(item) : undefined;
    const line = `${"  ".repeat(depth)}${sign ? `${sign} ` : ""}${text}`;
    chars += line.length + (lines.length === 0 ? 0 : 1);
    lines.push(line);
  };
  let skipped = offset;

  function block(list: readonly PageItem[], depth: number): void {
    let texts = 0;
    let left: { lines: number; chars: number } | undefined;
    const flush = () => {
      if (left) add(depth, `… ${left.lines} more ${left.lines === 1 ? "text" : "texts"} (${left.chars} characters)`);
      left = undefined;
    };
    for (const item of neighbours(list, limits, mark)) {
      if (chars > maxChars) return;
      if (isGroup(item)) {
        flush();
        texts = 0;
        for (const line of groupLines(item, limits)) add(depth, line);
        continue;
      }
      if (typeof item === "string") {
        if (item === "") continue;
        texts += 1;
        if (texts <= limits.texts) add(depth, shownText(item, limits.text), item);
        else left = { lines: (left?.lines ?? 0) + 1, chars: (left?.chars ?? 0) + item.length };
        continue;
      }
      flush();
      texts = 0;
      node(item, depth);
    }
    flush();
  }

  function node(item: PageNode, depth: number): void {
    const { role, items = [] } = item;
    if (item.line !== undefined) return add(depth, item.line, item);
    if (role === "heading") {
      const title =
        item.name === undefined ? inlineParts(items, limits, mark).join(" ") : shownText(item.name, limits.text);
      return add(depth, `${"#".repeat(item.level ?? 2)} ${title}`, item);
    }
    if (role === "list" || role === "items" || role === "table" || role === "tree") return series(item, depth);
    if (transparent.has(role) && item.name === undefined && item.ref === undefined) return block(items, depth);
    if (items.length === 0) return add(depth, nodeText(item, limits), item);
    const inline = inlineText(item, limits, mark);
    if (inline !== undefined) return add(depth, inline, item);
    add(depth, nodeText(item, limits), item);
    block(items, depth + 1);
  }

  /** Shows the first items of a list or table in full, then the number of the others. */
  function series(item: PageNode, depth: number): void {
    const { role, items = [] } = item;
    const isTable = role === "table";
    const rows = isTable ? tableRows(items) : items;
    const from = Math.min(skipped, rows.length);
    skipped = 0;
    const shown = rows.slice(from, from + limits.items);
    const rest = rows.length - from - shown.length;
    // Folding two or three items saves nothing.
    const all = rest > 0 && rest <= 2 && from === 0 ? rows : shown;
    const isLong = all.length < rows.length;
    const title = role === "items" ? "list" : role;
    const isBare = item.name === undefined && !isTable && !isLong;
    if (!isBare)
      add(
        depth,
        `${title}${item.name === undefined ? "" : ` ${quotedName(item.name, limits.text)}`}` +
          `${isLong && item.ref !== undefined ? ` @e${item.ref}` : ""}${isLong || isTable ? ` (${rows.length} ${isTable ? "rows" : "items"})` : ""}`,
        item,
      );
    const inner = isBare ? depth : depth + 1;
    if (from > 0) add(inner, `… ${from} before`);
    const group = limits.isTerse ? rowGroup(all, limits, mark) : undefined;
    if (group) for (const line of groupLines(group, limits)) add(inner, line, all[0]);
    for (const row of group ? [] : all) {
      if (chars > maxChars) return;
      if (typeof row === "string") {
        if (row !== "") add(inner, shownText(row, limits.text), row);
      } else if (isTable && row.role === "row") add(inner, rowText(row, limits, mark), row);
      else if (itemRoles.has(row.role)) listItem(row, inner);
      else node(row, inner);
    }
    const after = rows.length - from - all.length;
    if (after > 0) {
      const where = item.ref === undefined ? "" : `: browser_snapshot ref @e${item.ref} offset ${from + all.length}`;
      add(inner, `… ${after} more${where}`);
    }
  }

  function listItem(item: PageNode, depth: number): void {
    // The mark of the item is enough: its parts need none.
    const inner = mark?.(item) === undefined ? mark : undefined;
    const shown = withoutEchoes(item.items ?? [], limits);
    const head = item.ref === undefined ? "" : `clickable @e${item.ref}${nodeStates(item)} `;
    const line = inlineLine(shown, limits, inner);
    if (line !== undefined && line.length <= maxLine(limits)) return add(depth, `- ${head}${line}`, item);
    const [first, ...rest] = shown;
    if (first === undefined) return;
    const start =
      typeof first === "string"
        ? shownText(first, limits.text)
        : (inlineText(first, limits, inner) ?? nodeText(first, limits));
    add(depth, `- ${head}${start}`, item);
    if (typeof first !== "string" && first.items && inlineText(first, limits, inner) === undefined)
      block(first.items, depth + 1);
    block(rest, depth + 1);
  }

  block(items, 0);
  return lines.join("\n");
}

const transparent: ReadonlySet<string> = new Set(
  "form item listitem row cell columnheader group region article radiogroup tablist toolbar tabpanel caption".split(
    " ",
  ),
);
const itemRoles: ReadonlySet<string> = new Set(["item", "listitem", "article", "option", "treeitem"]);
const flatRoles: ReadonlySet<string> = new Set(["list", "items", "table", "tree", "frame", "dialog"]);

function tableRows(items: readonly PageItem[]): readonly PageItem[] {
  return items.flatMap((item) =>
    typeof item === "string" || item.role === "row" || item.items === undefined || item.role !== "group"
      ? [item]
      : tableRows(item.items),
  );
}

function rowText(row: PageNode, limits: OutlineLimits, mark?: ItemMark): string {
  const cells = (row.items ?? []).map((cell) => {
    if (typeof cell === "string") return shownText(cell, limits.text);
    const isCell = cell.role === "cell" || cell.role === "columnheader";
    return (
      (isCell ? inlineParts(cell.items ?? [], limits, mark) : inlineParts([cell], limits, mark)).join(" ") ||
      (cell.name ?? "")
    );
  });
  const head = row.ref === undefined ? "" : `@e${row.ref}${nodeStates(row)} `;
  return `${head}| ${cells.join(" | ")} |`;
}

/** Whether the items have no structure that needs separate lines. */
function isInline(items: readonly PageItem[]): boolean {
  return items.every(
    (item) =>
      typeof item === "string" ||
      (!flatRoles.has(item.role) && (item.role !== "form" || item.name === undefined) && isInline(item.items ?? [])),
  );
}

function inlineText(item: PageNode, limits: OutlineLimits, mark?: ItemMark): string | undefined {
  const { items = [] } = item;
  if (items.length === 0) return nodeText(item, limits);
  const inner = landmarks.has(item.role) ? undefined : inlineLine(items, limits, mark);
  if (inner === undefined) return undefined;
  const head =
    transparent.has(item.role) && item.ref === undefined && item.name === undefined
      ? ""
      : `${nodeText(item, limits)}: `;
  return inner.length + head.length <= maxLine(limits) ? `${head}${inner}` : undefined;
}

/** The items in one line. Undefined if they need several lines, or have more references than fit a line. */
function inlineLine(items: readonly PageItem[], limits: OutlineLimits, mark?: ItemMark): string | undefined {
  const maxRefs = maxLine(limits) / minRefChars;
  if (countShownRefs(items, maxRefs) > maxRefs || !isInline(items)) return undefined;
  return inlineParts(items, limits, mark).join(" · ");
}

/** The length of the shortest reference, `@e1`. */
const minRefChars = 3;

/** The references that the items show in one line, up to one more than the limit. */
function countShownRefs(items: readonly PageItem[], max: number): number {
  let count = 0;
  for (const item of items) {
    if (count > max) break;
    if (typeof item === "string") continue;
    if (item.ref !== undefined && item.line === undefined && !refless.has(item.role)) count += 1;
    // A picture whose name repeats is left out.
    if (item.items && item.role !== "img") count += countShownRefs(item.items, max - count);
  }
  return count;
}

const refless: ReadonlySet<string> = new Set(["frame", "list", "text", "heading"]);

const landmarks: ReadonlySet<string> = new Set(
  "banner navigation main complementary contentinfo search region dialog alertdialog".split(" "),
);

function inlineParts(items: readonly PageItem[], limits: OutlineLimits, mark?: ItemMark): readonly string[] {
  return neighbours(items, limits, mark).flatMap((item) => {
    if (isGroup(item)) return groupLines(item, limits);
    if (typeof item === "string") return item === "" ? [] : [shownText(item, limits.text)];
    const { items: inner, role, name = "" } = item;
    const sign = mark?.(item);
    const own =
      role === "heading" && inner === undefined ? `# ${shownText(name, limits.text)}` : nodeText(item, limits);
    const text = sign === undefined ? own : `${sign} ${own}`;
    if (inner === undefined) return [text];
    const isBare = item.name === undefined && item.ref === undefined;
    const parts = inlineParts(inner, limits, mark);
    return isBare ? parts : [`${text} (${parts.join(" · ")})`];
  });
}

/** Selects the part of a page below one element. */
export function findNode(items: readonly PageItem[], ref: number): PageNode | undefined {
  for (const item of items) {
    if (typeof item === "string") continue;
    if (item.ref === ref) return item;
    const inner = item.items && findNode(item.items, ref);
    if (inner) return inner;
  }
  return undefined;
}
