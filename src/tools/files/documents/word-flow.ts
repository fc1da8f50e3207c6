import { type ExtractedText, tableRow, tableRule } from "./extracted-text.ts";
import type { WordNumbering } from "./word-numbering.ts";
import { type NumberingRef, outlineHeading, type WordStyles } from "./word-styles.ts";
import type { XmlEvents, XmlTag } from "./xml-events.ts";
import type { Relation } from "./zip-archive.ts";

export interface WordFlowDeps {
  readonly styles: WordStyles;
  readonly numbering: WordNumbering;
  readonly links: ReadonlyMap<string, Relation>;
  readonly out: ExtractedText;
}

interface Paragraph {
  text: string;
  style?: string;
  list?: string;
  level?: number;
  outline?: number;
}

interface Table {
  rows: number;
  row: string[];
  cell: string[];
  span: number;
}

/** Extracts the body text of any part of WordprocessingML, as Markdown lines. */
export function createWordFlow({ styles, numbering, links, out }: WordFlowDeps): XmlEvents {
  /** A stack of paragraphs and tables: a text box is inside a paragraph, and a table inside a cell. */
  const paragraphs: Paragraph[] = [];
  const tables: Table[] = [];
  /** The nesting depth inside hidden content. */
  let hidden = 0;
  let isText = false;
  let isTabStops = false;
  let picture = "";
  let link: { readonly target: string; readonly from: number } | undefined;
  /** The label `[^3]: ` before the first paragraph of a note. */
  let label = "";
  let wasListed = false;

  function add(text: string): void {
    const paragraph = paragraphs.at(-1);
    if (paragraph) paragraph.text += text;
  }

  function endParagraph(): void {
    const paragraph = paragraphs.pop();
    if (!paragraph) return;
    const text = paragraph.text.trimEnd();
    const cell = tables.at(-1)?.cell;
    if (cell) {
      if (text !== "") cell.push(markOf(paragraph) + text.trim());
      return;
    }
    if (text.trim() === "") return;
    const heading =
      (paragraph.outline === undefined ? undefined : outlineHeading(paragraph.outline)) ??
      (paragraph.style === undefined ? undefined : styles.heading(paragraph.style));
    const mark = markOf(paragraph);
    const isListed = mark !== "" && heading === undefined;
    if (!(isListed && wasListed) && label === "") out.gap();
    wasListed = isListed;
    const indent = isListed ? "  ".repeat(Math.min(8, numberingOf(paragraph)?.level ?? 0)) : "";
    const before = heading === undefined ? indent : `${"#".repeat(heading)} `;
    for (const [index, line] of text.split("\n").entries()) out.line(index === 0 ? label + before + mark + line : line);
    label = "";
  }

  function markOf(paragraph: Paragraph): string {
    const reference = numberingOf(paragraph);
    return reference ? numbering.mark(reference) : "";
  }

  function numberingOf({ list, level, style }: Paragraph): NumberingRef | undefined {
    if (list !== undefined) return { list, level: level ?? 0 };
    return style === undefined ? undefined : styles.numbering(style);
  }

  function endRow(): void {
    const table = tables.at(-1);
    if (!table) return;
    table.rows++;
    const outer = tables.at(-2);
    const row = tableRow(table.row);
    if (outer) {
      outer.cell.push(table.row.join(" / "));
    } else {
      if (table.rows === 1) out.gap();
      out.line(row);
      if (table.rows === 1) out.line(tableRule(table.row.length));
    }
    table.row = [];
  }

  function note(tag: XmlTag, prefix: string): void {
    const type = tag.attribute("type");
    // Word stores the separators between text and notes as notes too; they are skipped.
    if (type !== undefined && type !== "normal") hidden++;
    else label = `[^${prefix}${tag.attribute("id")}]: `;
  }

  const opened: Readonly<Record<string, (tag: XmlTag) => void>> = {
    p: () => void paragraphs.push({ text: "" }),
    t: () => void (isText = true),
    tab: () => isTabStops || add("\t"),
    br: () => add("\n"),
    cr: () => add("\n"),
    noBreakHyphen: () => add("-"),
    tabs: () => void (isTabStops = true),
    pStyle: (tag) => set("style", tag.attribute("val")),
    numId: (tag) => set("list", tag.attribute("val")),
    ilvl: (tag) => set("level", Number(tag.attribute("val"))),
    outlineLvl: (tag) => set("outline", Number(tag.attribute("val"))),
    tbl: () => void tables.push({ rows: 0, row: [], cell: [], span: 1 }),
    tc: () => {
      const table = tables.at(-1);
      if (table) Object.assign(table, { cell: [], span: 1 });
    },
    gridSpan: (tag) => {
      const table = tables.at(-1);
      if (table) table.span = Math.min(100, Math.max(1, Number(tag.attribute("val")) || 1));
    },
    hyperlink: (tag) => {
      const relation = links.get(tag.attribute("id") ?? "");
      if (relation?.isExternal) link = { target: relation.target, from: paragraphs.at(-1)?.text.length ?? 0 };
    },
    docPr: (tag) => void (picture = tag.attribute("descr") || tag.attribute("title") || tag.attribute("name") || ""),
    blip: () => add(picture === "" ? "[picture]" : `[picture: ${picture}]`),
    chart: () => add(picture === "" ? "[chart]" : `[chart: ${picture}]`),
    footnoteReference: (tag) => add(`[^${tag.attribute("id")}]`),
    endnoteReference: (tag) => add(`[^e${tag.attribute("id")}]`),
    commentReference: (tag) => add(`[comment ${tag.attribute("id")}]`),
    footnote: (tag) => note(tag, ""),
    endnote: (tag) => note(tag, "e"),
    comment: (tag) => void (label = `[comment ${tag.attribute("id")}] ${tag.attribute("author") ?? ""}: `),
    del: () => out.note(accepted),
    ins: () => out.note(accepted),
  };

  function set<K extends keyof Paragraph>(field: K, value: Paragraph[K]): void {
    const paragraph = paragraphs.at(-1);
    if (paragraph && value !== undefined) paragraph[field] = value;
  }

  const closed: Readonly<Record<string, () => void>> = {
    p: endParagraph,
    t: () => void (isText = false),
    tabs: () => void (isTabStops = false),
    tc: () => {
      const table = tables.at(-1);
      if (!table) return;
      table.row.push(table.cell.join("\n"), ...Array.from({ length: table.span - 1 }, () => ""));
      table.cell = [];
    },
    tr: endRow,
    tbl: () => {
      tables.pop();
      wasListed = false;
    },
    hyperlink: () => {
      const paragraph = paragraphs.at(-1);
      if (link && paragraph) {
        const shown = paragraph.text.slice(link.from);
        if (shown.trim() !== "" && shown.trim() !== link.target)
          paragraph.text = `${paragraph.text.slice(0, link.from)}[${shown}](${link.target})`;
      }
      link = undefined;
    },
  };

  return {
    open(name, tag) {
      if (hidden > 0 || skipped.has(name)) hidden++;
      else if (Object.hasOwn(opened, name)) opened[name]?.(tag);
    },
    close(name) {
      if (hidden > 0) hidden--;
      else if (Object.hasOwn(closed, name)) closed[name]?.();
    },
    text(text) {
      if (isText && hidden === 0) add(text);
    },
  };
}

/**
 * Elements to skip: alternative forms of the same content, content moved away by a tracked change, and properties
 * before a change.
 */
const skipped: ReadonlySet<string> = new Set(["Fallback", "moveFrom", "pPrChange", "rPrChange", "sectPr", "instrText"]);
const accepted = "Tracked changes are shown as if they were accepted.";
