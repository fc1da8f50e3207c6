import { maxLine, type OutlineLimits, quotedName, nodeStates, targetText } from "./node-text.ts";
import type { PageItem, PageNode } from "./page-tree.ts";

/** Marks of lines in a list of changes. */
export type ItemMark = (item: PageItem) => "+" | "~" | undefined;

/** Similar elements that stand next to each other. */
export type Group = readonly PageNode[];

export function isGroup(item: PageItem | Group): item is Group {
  return Array.isArray(item);
}

/** The items, with three or more similar elements in a row as a group if the limits want it. */
export function neighbours(
  items: readonly PageItem[],
  limits: OutlineLimits,
  mark?: ItemMark,
): readonly (PageItem | Group)[] {
  if (!limits.isTerse) return items;
  const result: (PageItem | Group)[] = [];
  let run: PageNode[] = [];
  const flush = () => {
    if (run.length >= 3) result.push(run);
    else result.push(...run);
    run = [];
  };
  for (const item of withoutEchoes(items, limits)) {
    const isSimilar = typeof item !== "string" && isPlain(item, limits) && mark?.(item) === undefined;
    if (!isSimilar || (run[0] !== undefined && run[0].role !== item.role)) flush();
    if (isSimilar) run.push(item);
    else result.push(item);
  }
  flush();
  return result;
}

/** The elements of a list whose items are all one similar element. */
export function rowGroup(rows: readonly PageItem[], limits: OutlineLimits, mark?: ItemMark): Group | undefined {
  const [first] = rows;
  if (first === undefined || rows.length < 3) return undefined;
  const group: PageNode[] = [];
  for (const row of rows) {
    const [only, another] = typeof row === "string" || row.ref !== undefined ? [] : (row.items ?? []);
    const isSimilar = typeof only === "object" && !another && isPlain(only, limits);
    if (!isSimilar || only.role !== (group[0] ?? only).role || mark?.(row) !== mark?.(first)) return undefined;
    group.push(only);
  }
  return group;
}

/** Whether an element is only a name and a reference. */
function isPlain(item: PageNode, limits: OutlineLimits): boolean {
  const { role, name = "", ref, value, options, items, to } = item;
  if (!groupNames.has(role) || name === "" || ref === undefined || value !== undefined || options || items)
    return false;
  return to === undefined || targetText(to, item, limits) === undefined;
}

const groupNames: ReadonlyMap<string, string> = new Map([
  ["link", "links"],
  ["button", "buttons"],
  ["option", "options"],
  ["radio", "radios"],
  ["checkbox", "checkboxes"],
  ["menuitem", "menuitems"],
  ["tab", "tabs"],
  ["textbox", "textboxes"],
  ["date", "dates"],
]);

/** Such as `links "Home" @e1, "Help" @e2`. */
export function groupLines(group: Group, limits: OutlineLimits): readonly string[] {
  const role = groupNames.get(group[0]?.role ?? "") ?? "";
  const lines: string[] = [];
  for (const item of group) {
    const text = `${quotedName(item.name ?? "", limits.text)} @e${item.ref}${nodeStates(item)}`;
    const line = lines.at(-1);
    if (line !== undefined && line.length + text.length <= maxLine(limits))
      lines[lines.length - 1] = `${line}, ${text}`;
    else lines.push(`${role} ${text}`);
  }
  return lines;
}

/** Leaves out a picture whose description is also the name of an element beside it. */
export function withoutEchoes(items: readonly PageItem[], { isTerse }: OutlineLimits): readonly PageItem[] {
  if (!isTerse || !items.some((item) => isNamedPicture(item))) return items;
  const others = items.filter((item) => !isNamedPicture(item));
  const names = new Set(others.map((item) => (typeof item === "string" ? item : item.name)));
  return items.filter((item) => !isNamedPicture(item) || !names.has(item.name));
}

function isNamedPicture(item: PageItem): item is PageNode {
  return typeof item !== "string" && item.role === "img" && item.ref === undefined && item.name !== undefined;
}
