import type { JsonObject } from "../../base/json.ts";
import type { BrowserAnswer } from "../../contracts/web/browser.ts";
import { compactLimits, findNode, fullLimits, outline } from "./outline.ts";
import { changesText, pageChanges } from "./page-changes.ts";
import type { PageTree } from "./page-reader.ts";
import type { PageItem } from "./page-tree.ts";

/** The maximum length of a compact page, which leaves space for the markers of untrusted text around it. */
export const maxCompactChars = 7400;
/** The tightest limits are used only for pages beyond this length. */
const aimedChars = 5000;

/** The whole page in compact form, as detailed as the limit allows. */
export function compactText(tree: PageTree): string {
  let text = "";
  for (const limits of compactLimits) {
    text = outline(tree.items, { limits, ...(limits !== compactLimits.at(-1) && { maxChars: aimedChars }) });
    if (text.length <= aimedChars) break;
  }
  if (text.length <= maxCompactChars) return text;
  const kept = text.slice(0, text.lastIndexOf("\n", maxCompactChars));
  const lines = text.slice(kept.length).split("\n").length - 1;
  return `${kept}\n… ${lines} more lines: browser_snapshot with full: true has them`;
}

/** The whole text of the page, or of the part below one element. */
export function fullText(tree: PageTree, ref?: number, offset = 0): string | undefined {
  if (ref === undefined) return outline(tree.items, { limits: fullLimits, offset });
  const part = findNode(tree.items, ref);
  if (!part) return undefined;
  // Shows as much of a list as fits; the outline says how to continue.
  for (const items of [2000, 400, 200, 100, 60, 40, 20]) {
    const text = outline([part], { limits: { ...fullLimits, text: 400, items, hasPaths: items <= 100 }, offset });
    if (text.length <= maxCompactChars) return text;
  }
  return outline([part], { limits: { ...fullLimits, items: 10, text: 200, hasPaths: false }, offset });
}

export interface ReportParts {
  /** A sentence about the action, such as `Clicked @e5 button "Save".` */
  readonly done: string;
  readonly notes: readonly string[];
  /** The page that the model saw last. */
  readonly before: PageTree | undefined;
  readonly after: PageTree;
  readonly data?: JsonObject;
}

/** The result of an action: what changed, or the whole page after a navigation. */
export function actionAnswer({ done, notes, before, after, data }: ReportParts): BrowserAnswer {
  const lines = [done, ...notes.map((note) => `Note: ${note}`)].filter((line) => line !== "");
  const whole = () => [pageLine(after), compactText(after)];
  const base: JsonObject = { success: true, url: after.url, title: after.title, ...data };
  if (!before || before.key !== after.key) {
    const snapshot = compactText(after);
    return { text: [...lines, pageLine(after), snapshot].join("\n"), data: { ...base, navigated: true, snapshot } };
  }
  const changes = pageChanges(before.items, after.items);
  if (before.url !== after.url || before.title !== after.title) lines.push(pageLine(after));
  if (changes.isSame) {
    const text = [...lines, "Nothing visible changed."].join("\n");
    return { text, data: { ...base, changes: "" } };
  }
  const text = compactChanges(changes);
  const [line, compact] = whole();
  // If the changes are longer than the page itself, the page is shown instead.
  if (text.length > (compact?.length ?? 0))
    return { text: [...lines, line, compact].join("\n"), data: { ...base, snapshot: compact ?? "" } };
  return { text: [...lines, "Changes:", text].join("\n"), data: { ...base, changes: text } };
}

function compactChanges(changes: ReturnType<typeof pageChanges>): string {
  let text = "";
  for (const limits of compactLimits) {
    text = changesText(changes, limits);
    if (text.length <= aimedChars / 2) break;
  }
  return text;
}

/** Title, address and position of a page in one line. */
export function pageLine({ title, url, scroll, isCut }: PageTree): string {
  const hasMore = scroll.height > scroll.view + 10;
  const below = Math.max(0, scroll.height - scroll.top - scroll.view);
  const position = hasMore && scroll.top > 0 ? ` (scrolled ${scroll.top} px, ${below} px below)` : "";
  return `Page: ${title || "(no title)"} <${url}>${position}${isCut ? " (too large: its end is missing)" : ""}`;
}

/** Elements with a reference. */
export function countRefs(items: readonly PageItem[]): number {
  return items.reduce(
    (sum, item) =>
      typeof item === "string" ? sum : sum + (item.ref === undefined ? 0 : 1) + countRefs(item.items ?? []),
    0,
  );
}
