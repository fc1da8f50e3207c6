import type { PageNode } from "./page-tree.ts";

/** How much of a page is shown. */
export interface OutlineLimits {
  /** The maximum items of one list, and rows of one table. */
  readonly items: number;
  /** The maximum characters of one text, and of one name. */
  readonly text: number;
  /** The maximum consecutive lines of plain text. */
  readonly texts: number;
  /** The maximum characters of the options of one select field. */
  readonly options: number;
  /** Whether addresses on the same site are shown too. */
  readonly hasPaths: boolean;
  /** Whether similar neighbours share a line, and pictures that only repeat a name are left out. */
  readonly isTerse: boolean;
}

/** One element in one line, without its content. */
export function nodeText(item: PageNode, limits: OutlineLimits): string {
  const { role, name, ref, value, to, options, line } = item;
  if (role === "text") return shownText(name ?? "", limits.text);
  if (line !== undefined) return line;
  const words = [role];
  if (name !== undefined && name !== "") words.push(quotedName(name, limits.text));
  if (ref !== undefined && role !== "frame" && role !== "list") words.push(`@e${ref}`);
  if (value !== undefined) words.push(`= ${quotedName(value, limits.text)}`);
  const states = nodeStates(item).trim();
  if (states) words.push(states);
  if (options && options.length > 0) words.push(optionText(options, limits));
  const target = to === undefined ? undefined : targetText(to, item, limits);
  if (target) words.push(`-> ${target}`);
  return words.join(" ");
}

export function nodeStates({ states }: PageNode): string {
  return states && states.length > 0 ? ` [${states.join(" ")}]` : "";
}

function optionText(options: readonly string[], { options: maxChars }: OutlineLimits): string {
  const shown: string[] = [];
  let chars = 0;
  for (const option of options) {
    if (chars + option.length > maxChars) break;
    chars += option.length + 2;
    shown.push(plainText(option));
  }
  if (shown.length === options.length) return `(${shown.join(", ")})`;
  if (shown.length < 3) return `(${options.length} options)`;
  return `(${options.length} options: ${shown.join(", ")}, …)`;
}

/** The host of a link to another site; a path only if it is requested or nothing else names the link. */
export function targetText(
  to: string,
  { name, role }: PageNode,
  { hasPaths, text }: OutlineLimits,
): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/iu.test(to)) {
    if (hasPaths || role === "frame") return cutText(to, Math.max(text, 100));
    const [, host] = /^https?:\/\/([^/?#]+)/iu.exec(to) ?? [];
    return host ?? cutText(to, 60);
  }
  return hasPaths || !name ? cutText(to, 100) : undefined;
}

export function quotedName(name: string, maxChars: number): string {
  return `"${plainText(cutText(name, maxChars)).replaceAll('"', "'")}"`;
}

export function shownText(text: string, maxChars: number): string {
  return plainText(cutText(text.trim(), maxChars));
}

function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars + 10) return text;
  // Never splits a character.
  const end = /[\uD800-\uDBFF]/u.test(text[maxChars - 1] ?? "") ? maxChars - 1 : maxChars;
  return `${text.slice(0, end).trimEnd()}… (+${text.length - end})`;
}

/** Cleans page text, so that it cannot imitate a reference and has no control characters. */
function plainText(text: string): string {
  if (harmless.test(text)) return text;
  return text.replaceAll(unshown, " ").replaceAll(/@(?=e\d)/giu, "@ ");
}

/** Printable ASCII without `@`, which the majority of texts consists of. */
const harmless = /^[ -?A-~]*$/u;

/** Control characters, and those that change the direction of text. */
const unshown = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The maximum length of a line with several elements. */
export function maxLine({ text }: OutlineLimits): number {
  return Math.max(text * 1.6, 120);
}
