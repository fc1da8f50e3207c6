import type { PageLinks } from "../page-links.ts";
import { codeLanguage, fencedCode, plainCode } from "./code-text.ts";
import { InlineMarkdown, visible } from "./inline-text.ts";
import type { PageElement } from "./page-element.ts";
import { dataTable, isDataTable, rowCells, tableRows } from "./table-text.ts";
import { headingTags } from "./tags.ts";

/** The text of an element as Markdown, without dropped elements. */
export function writeMarkdown(root: PageElement, links: PageLinks): string {
  const writer = new MarkdownWriter(links);
  writer.writeBlocks(root);
  return writer.toString();
}

class MarkdownWriter {
  readonly #lines: string[] = [];
  readonly #links: PageLinks;
  /** The prefix of every line: quotes and the indentation of lists. */
  #prefix = "";
  /** The prefix of the last line: an empty line has the part that both sides share. */
  #lastPrefix = "";
  /** Replaces the last part of the prefix on the first line of a list item. */
  #marker: string | undefined;
  #nesting = 0;
  /** True if an empty line precedes the next block. */
  #hasGap = false;
  #isTight = false;
  /** The address of a link around blocks; the first text in it becomes the link. */
  #pendingLink: string | undefined;

  constructor(links: PageLinks) {
    this.#links = links;
  }

  toString(): string {
    return this.#lines.join("\n").trim();
  }

  writeBlocks(element: PageElement): void {
    let run = new InlineMarkdown(this.#links);
    const flush = () => {
      this.#write(this.#withLink(run.toString()));
      run = new InlineMarkdown(this.#links);
    };
    for (const child of element.children) {
      if (typeof child === "string") run.addText(child);
      else if (child.isDropped) continue;
      else if (!child.hasBlock) run.addNode(child);
      else {
        flush();
        this.#writeBlock(child);
      }
    }
    flush();
  }

  #writeBlock(element: PageElement): void {
    const { tag } = element;
    if (headingTags.has(tag)) this.#writeHeading(element, Number(tag[1]));
    else if (tag === "pre" || tag === "xmp" || tag === "plaintext") this.#writeCode(element);
    else if (tag === "ul" || tag === "ol" || tag === "menu" || tag === "dir") this.#writeList(element);
    else if (tag === "li") this.#writeItem(element, "- ");
    else if (tag === "blockquote") this.#indented("> ", undefined, () => this.writeBlocks(element));
    else if (tag === "table") this.#writeTable(element);
    else if (tag === "dl") this.#writeDefinitions(element);
    else if (tag === "hr") this.#write("---");
    else if (tag === "figcaption") this.#writeMarked(element, "*");
    else if (tag === "summary" || tag === "legend") this.#writeMarked(element, "**");
    else if (tag === "a") this.#writeLinkedBlocks(element);
    else this.writeBlocks(element);
  }

  #writeHeading(element: PageElement, level: number): void {
    const text = this.#withLink(this.#oneLine(element));
    if (text === "") return;
    this.#hasGap = true;
    this.#write(`${"#".repeat(level)} ${text.replaceAll("**", "")}`);
    this.#hasGap = true;
  }

  #writeMarked(element: PageElement, mark: string): void {
    const text = this.#oneLine(element);
    if (text !== "") this.#write(text.includes("*") || text.includes("`") ? text : `${mark}${text}${mark}`);
  }

  #oneLine(element: PageElement): string {
    const text = new InlineMarkdown(this.#links);
    text.addChildren(element);
    return text.toString().replaceAll("\n", " ");
  }

  #withLink(text: string): string {
    if (this.#pendingLink === undefined || text === "") return text;
    const number = this.#links.number(this.#pendingLink);
    this.#pendingLink = undefined;
    return number === undefined || text.includes("][") ? text : `[${text.replaceAll("\n", " ")}][${number}]`;
  }

  #writeLinkedBlocks(element: PageElement): void {
    this.#pendingLink = element.attribute("href");
    this.writeBlocks(element);
    this.#pendingLink = undefined;
  }

  #writeCode(element: PageElement): void {
    const code = visible(plainCode(element));
    if (code.trim() === "") return;
    this.#write(fencedCode(code, codeLanguage(element)), true);
  }

  #writeList(element: PageElement): void {
    const isNumbered = element.tag === "ol";
    let number = Number.parseInt(element.attribute("start") ?? "1", 10);
    if (Number.isNaN(number)) number = 1;
    const isTightBefore = this.#isTight;
    for (const child of element.children) {
      if (typeof child === "string") this.#writeStray(child);
      else if (child.isDropped) continue;
      else if (child.tag === "li") this.#writeItem(child, isNumbered ? `${number++}. ` : "- ");
      // Lists directly in lists are common, though not allowed.
      else if (child.hasBlock) this.#indented("  ", undefined, () => this.#writeBlock(child));
      else this.#write(this.#oneLine(child));
    }
    this.#isTight = isTightBefore;
    if (!isTightBefore) this.#hasGap = true;
  }

  /** Text directly inside a list, which is invalid HTML. */
  #writeStray(text: string): void {
    const line = new InlineMarkdown(this.#links);
    line.addText(text);
    this.#write(line.toString());
  }

  #writeItem(item: PageElement, marker: string): void {
    const isTight = Array.from(item.elements()).every((child) => !looseTags.has(child.tag) || child.isDropped);
    if (isTight && !this.#isTight) this.#hasGap ||= this.#lines.length > 0 && !this.#isInList();
    const indent = " ".repeat(marker.length);
    const before = this.#isTight;
    this.#isTight = isTight;
    this.#indented(indent, marker, () => this.writeBlocks(item));
    this.#isTight = before;
    this.#hasGap = !isTight;
  }

  #isInList(): boolean {
    return /^[> ]*(?:- |\d+\. )/u.test(this.#lines.at(-1) ?? "") || /^\s{2,}\S/u.test(this.#lines.at(-1) ?? "");
  }

  #writeDefinitions(element: PageElement): void {
    for (const child of element.children) {
      if (typeof child === "string") this.#writeStray(child);
      else if (child.isDropped) continue;
      else if (child.tag === "dt") this.#writeTerm(child);
      else if (child.tag === "dd") this.#indented(": ", undefined, () => this.writeBlocks(child), true);
      else this.#writeDefinitions(child);
    }
  }

  #writeTerm(term: PageElement): void {
    const isSignature = /\bsig\b/u.test(term.attribute("class") ?? "");
    const code = isSignature
      ? visible(plainCode(term))
          .replaceAll(/[\s¶]+/gu, " ")
          .trim()
      : "";
    const text = isSignature ? `\`${code.replaceAll("`", "")}\`` : this.#oneLine(term);
    if (text === "" || text === "``") return;
    this.#hasGap = true;
    this.#write(text.includes("`") || text.includes("**") ? text : `**${text}**`);
  }

  #writeTable(table: PageElement): void {
    const rows = tableRows(table);
    for (const child of table.elements())
      if (child.tag === "caption" && !child.isDropped) this.#writeMarked(child, "**");
    if (this.#writeCodeRows(table, rows)) return;
    if (isDataTable(table, rows)) {
      this.#write(dataTable(rows, this.#links), true);
      return;
    }
    for (const row of rows) for (const cell of rowCells(row)) if (!isLineNumbers(cell)) this.writeBlocks(cell);
  }

  /** Code hosts and highlighters put a line of code in each row. */
  #writeCodeRows(table: PageElement, rows: readonly PageElement[]): boolean {
    const code: string[] = [];
    for (const row of rows) {
      const cells = rowCells(row).filter((cell) => codeCell.test(cell.attribute("class") ?? ""));
      if (cells.length === 0) {
        if (code.length > 0 || rowCells(row).some((cell) => cell.textSize > 0)) return false;
        continue;
      }
      for (const cell of cells) if (!holdsPre(cell)) code.push(visible(plainCode(cell)).replaceAll(/^\n|\n$/gu, ""));
    }
    if (code.length === 0) return false;
    this.#write(fencedCode(code.join("\n"), codeLanguage(table)), true);
    return true;
  }

  /**
   * Runs `write` with an additional prefix for each line. Beyond a maximum depth the prefix does not grow, because
   * deeper levels are unreadable.
   */
  #indented(prefix: string, marker: string | undefined, write: () => void, isPlain = false): void {
    if (isPlain || this.#nesting >= maxNesting) {
      write();
      return;
    }
    const before = this.#prefix;
    this.#nesting++;
    if (this.#marker === undefined) this.#marker = marker === undefined ? undefined : before + marker;
    else if (marker !== undefined) this.#marker += marker;
    this.#prefix = before + prefix;
    const count = this.#lines.length;
    write();
    this.#prefix = before;
    this.#nesting--;
    // An item without text.
    if (this.#lines.length === count) this.#marker = undefined;
  }

  #write(text: string, isBlock = false): void {
    if (text === "") return;
    if (this.#lines.length > 0 && (this.#hasGap || isBlock))
      this.#lines.push(shared(this.#lastPrefix, this.#prefix).trimEnd());
    for (const line of text.split("\n")) {
      this.#lines.push((this.#marker ?? this.#prefix) + line);
      this.#marker = undefined;
    }
    this.#lastPrefix = this.#prefix;
    this.#hasGap = isBlock || !this.#isTight;
  }
}

function shared(first: string, second: string): string {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length++;
  return first.slice(0, length);
}

function isLineNumbers(cell: PageElement): boolean {
  if (/(?:^|\s|_)(?:linenos?|gutter|lntd?-num|blob-num)/iu.test(cell.attribute("class") ?? "")) return true;
  return false;
}

function holdsPre(element: PageElement): boolean {
  for (const child of element.elements()) if (child.tag === "pre" || holdsPre(child)) return true;
  return false;
}

const codeCell = /(?:^|\s)(?:blob-code|code-line|line-code|hljs-ln-code|js-file-line)/iu;
/** Inside a list item they require empty lines between items. */
const looseTags: ReadonlySet<string> = new Set([
  "p",
  "pre",
  "blockquote",
  "table",
  "h1",
  "h2",
  "h3",
  "h4",
  "figure",
  "dl",
]);
const maxNesting = 12;
