import type { JsonObject } from "../../../base/json.ts";
import type { BrowserAnswer } from "../../../contracts/web/browser.ts";
import type { PageTree } from "../page-reader.ts";
import { compactLimits, findNode, fullLimits, outline } from "./outline.ts";
import { changesText, type PageChanges, pageChanges } from "./page-changes.ts";
import type { PageItem } from "./page-tree.ts";

/** The maximum length of a compact page, which leaves space for the markers of untrusted text around it. */
export const maxCompactChars = 7400;
/** The tightest limits are used only for pages beyond this length. */
const aimedChars = 5000;

/** The whole page in compact form, as detailed as the limit allows. */
export function compactText({ items }: Pick<PageTree, "items">): string {
  let text = "";
  for (const limits of compactLimits) {
    text = outline(items, { limits, maxChars: limits === compactLimits.at(-1) ? maxCompactChars : aimedChars });
    if (text.length <= aimedChars) break;
  }
  if (text.length <= maxCompactChars) return text;
  const kept = text.slice(0, text.lastIndexOf("\n", maxCompactChars));
  return `${kept}\n… the page continues: browser_snapshot with full: true has the rest`;
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
  /** The items of `after`, without parts that the model knows from earlier pages. */
  readonly condensed: () => readonly PageItem[];
  readonly data?: JsonObject;
}

/** The result of an action: what changed, or after a navigation the page with short lines for repeated parts. */
export function actionAnswer({ done, notes, before, after, condensed, data }: ReportParts): BrowserAnswer {
  const lines = [done, ...notes.map((note) => `Note: ${note}`)].filter((line) => line !== "");
  const base: JsonObject = { success: true, url: after.url, title: after.title, ...data };
  const whole = (snapshot: string) => {
    const items = condensed();
    return [...lines, pageLine(after), items === after.items ? snapshot : pageText(items)].join("\n");
  };
  if (!before || before.key !== after.key) {
    const snapshot = compactText(after);
    return { text: whole(snapshot), data: { ...base, navigated: true, snapshot } };
  }
  const changes = pageChanges(before.items, after.items);
  const text = compactChanges(changes);
  // A page that replaced most of its content is shown like another page, and so is one with endless changes.
  if (changes.isMostlyNew || text.length > aimedChars) {
    const snapshot = compactText(after);
    if (text.length > snapshot.length) return { text: whole(snapshot), data: { ...base, snapshot } };
  }
  if (before.url !== after.url || before.title !== after.title) lines.push(pageLine(after));
  if (changes.isSame)
    return { text: [...lines, "Nothing visible changed."].join("\n"), data: { ...base, changes: "" } };
  const news = isReported(done, changes) ? "Nothing else changed." : text;
  return { text: [...lines, news].join("\n"), data: { ...base, changes: text } };
}

/** A page whose parts all repeat needs only one sentence. */
function pageText(items: readonly PageItem[]): string {
  const [first] = items;
  const text = compactText({ items });
  const isRepeated = items.length === 1 && typeof first === "object" && first.line !== undefined;
  return isRepeated ? `${text}: the whole page. browser_snapshot shows it again.` : text;
}

/** Whether the sentence about the action contains the only change: the new value of one field. */
function isReported(done: string, { changed, removed, goneTexts }: PageChanges): boolean {
  const [only, another] = changed;
  if (!only || another || removed.length > 0 || goneTexts.length > 0) return false;
  const [item, sign] = only;
  if (sign === "+" || typeof item === "string" || item.value === undefined || item.items) return false;
  return new RegExp(`@e${item.ref}\\b`, "u").test(done) && done.includes(JSON.stringify(item.value));
}

function compactChanges(changes: PageChanges): string {
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
