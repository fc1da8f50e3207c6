/** Pages of other authors, marked with the text that a person would keep (test/corpora/pages). */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { parse } from "yaml";

import { countOf, wordsOf } from "./word-overlap.ts";

const marks = join(import.meta.dirname, "..", "..", "test", "corpora", "pages");

interface Mark {
  /** The package that holds the page: "npm NAME" (test/programs/pages) or "debian NAME". */
  readonly from: string;
  /** Path in the folder of the npm package, or below /usr/share for a Debian package. */
  readonly file: string;
  readonly site: string;
  readonly kind: string;
  /** The charset that the server would declare, for pages that declare a wrong one. */
  readonly charset?: string;
  readonly keep: readonly string[];
  /** Parts to drop inside the kept text. */
  readonly drop?: readonly string[];
  /**
   * Parts on which people disagree (captions, bylines, contents of a long page): neither required nor counted against a
   * reader.
   */
  readonly either?: readonly string[];
}

export interface MarkedPage {
  readonly mark: Mark;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly html: string;
  readonly contentType: string;
  readonly kept: ReadonlyMap<string, number>;
  readonly either: ReadonlyMap<string, number>;
}

interface MarkedPages {
  readonly pages: readonly MarkedPage[];
  /** Packages that are not installed, with the number of their pages. */
  readonly missing: ReadonlyMap<string, number>;
}

export type MarkedSet = "tuning" | "apart";

/** The part of linkedom that is used here. */
interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes: Iterable<DomNode>;
  getAttribute?(name: string): string | null;
}
export interface DomDocument {
  readonly documentElement: DomNode;
  querySelectorAll(selectors: string): Iterable<DomNode>;
}
type ParseHtml = (html: string) => { readonly document: DomDocument };

export async function linkedomIn(programs: string): Promise<ParseHtml> {
  const module = (await import(pathToFileURL(join(programs, "linkedom", "esm", "index.js")).href)) as {
    readonly parseHTML: ParseHtml;
  };
  return module.parseHTML;
}

/** `limit`: reads at most this many pages, and only short ones. */
export async function markedPages(set: MarkedSet, programs: string, limit?: number): Promise<MarkedPages> {
  const parseHtml = await linkedomIn(programs);
  const missing = new Map<string, number>();
  const pages: MarkedPage[] = [];
  for (const mark of readMarks(set)) {
    const path = pathOf(mark, programs);
    if (existsSync(path)) {
      const bytes = readFileSync(path);
      if (limit !== undefined && (bytes.length >= 60_000 || pages.length >= limit)) continue;
      pages.push(markedPage(mark, bytes, parseHtml));
    } else missing.set(mark.from, (missing.get(mark.from) ?? 0) + 1);
  }
  return { pages, missing };
}

function readMarks(set: MarkedSet): readonly Mark[] {
  return parse(readFileSync(join(marks, `${set}.yaml`), "utf8")) as Mark[];
}

function pathOf(mark: Mark, programs: string): string {
  const [kind = "", name = ""] = mark.from.split(" ");
  return kind === "npm" ? join(programs, name, mark.file) : join("/usr/share", mark.file);
}

function markedPage(mark: Mark, bytes: Uint8Array, parseHtml: ParseHtml): MarkedPage {
  const html = wholePage(decoded(bytes, mark.charset));
  const { document } = parseHtml(html);
  const { kept, either } = markedText(document, mark);
  return {
    mark,
    name: `${mark.from.split(" ")[1]}/${mark.file}`,
    bytes,
    html,
    contentType: mark.charset === undefined ? "text/html" : `text/html; charset=${mark.charset}`,
    kept: countOf(wordsOf(kept)),
    either: countOf(wordsOf(either)),
  };
}

/** As in browsers, the charset of the server wins over the one in the page. */
function decoded(bytes: Uint8Array, charset: string | undefined): string {
  const head = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  const declared = /charset=["']?([\w-]+)/i.exec(head)?.[1];
  return new TextDecoder(charset ?? declared ?? "utf-8").decode(bytes);
}

/** linkedom needs an `html` element around a page that has none; a browser adds it. */
function wholePage(html: string): string {
  const start = /<html[\s>]/i.exec(html);
  return start === null ? `<html><body>${html}</body></html>` : html.slice(start.index);
}

const silent = new Set(
  "SCRIPT STYLE NOSCRIPT TEMPLATE HEAD IFRAME OBJECT SVG SELECT OPTION TEXTAREA BUTTON INPUT".split(" "),
);
const inline = new Set(
  (
    "A ABBR ACRONYM B BDI BDO BIG CITE CODE DEL DFN EM FONT I INS KBD LABEL MARK NOBR Q RB RUBY S SAMP SMALL SPAN " +
    "STRIKE STRONG SUB SUP TIME TT U VAR WBR"
  ).split(" "),
);

function markedText(document: DomDocument, mark: Mark): { readonly kept: string; readonly either: string } {
  const regions = matches(document, mark.keep);
  const dropped = matches(document, mark.drop ?? []);
  const neutral = matches(document, mark.either ?? []);
  const kept: string[] = [];
  const either: string[] = [];
  const walk = (node: DomNode, into: string[] | undefined): void => {
    if (node.nodeType === 3) {
      into?.push(node.textContent ?? "");
      return;
    }
    if (node.nodeType !== 1 || silent.has(node.nodeName.toUpperCase()) || dropped.has(node)) return;
    if (into !== undefined && isHidden(node)) return;
    const target = neutral.has(node) ? either : (into ?? (regions.has(node) ? kept : undefined));
    const isBlock = !inline.has(node.nodeName.toUpperCase());
    if (isBlock) target?.push(" ");
    for (const child of node.childNodes) walk(child, target);
    if (isBlock || target !== into) target?.push(" ");
  };
  walk(document.documentElement, undefined);
  return { kept: tidy(kept), either: tidy(either) };
}

function tidy(parts: readonly string[]): string {
  return parts.join("").replaceAll(/\s+/g, " ").trim();
}

/** A selector without a match is a mistake in the marks: the page would be judged by the wrong text. */
function matches(document: DomDocument, selectors: readonly string[]): ReadonlySet<DomNode> {
  const nodes = new Set<DomNode>();
  for (const selector of selectors) {
    const before = nodes.size;
    for (const node of document.querySelectorAll(selector)) nodes.add(node);
    if (nodes.size === before)
      throw new Error(`The selector "${selector}" matches nothing in the page. Correct the marks of the page.`);
  }
  return nodes;
}

function isHidden(node: DomNode): boolean {
  return /display:\s*none/i.test(node.getAttribute?.("style") ?? "");
}
