import { type ExtractedText, tableRow, tableRule } from "./extracted-text.ts";
import type { XmlEvents, XmlTag } from "./xml-events.ts";
import { readPart, type ZipArchive } from "./zip-archive.ts";

/** Extracts the text of an OpenDocument file (odt, ods, odp). */
export function openDocumentText(zip: ZipArchive, out: ExtractedText): void {
  if (!readPart(zip, "content.xml", openDocumentFlow(zip.read("mimetype"), out)))
    out.note("The document is damaged: text may be missing.");
}

interface Table {
  readonly isSheet: boolean;
  rows: number;
  /** The repeat counts of the row and the cell. */
  repeatRow: number;
  repeatCell: number;
  row: string[];
  cell: string[];
  emptyRows: number;
}

function openDocumentFlow(mimeType: Uint8Array | undefined, out: ExtractedText): XmlEvents {
  const isSheets = /spreadsheet/u.test(Buffer.from(mimeType ?? []).toString("latin1"));
  const paragraphs: { text: string; readonly before: string }[] = [];
  const tables: Table[] = [];
  const hiddenStyles = new Set<string>();
  let style = "";
  let lists = 0;
  let slides = 0;
  let hidden = 0;
  let notes = 0;
  const waiting: string[] = [];
  let link: { readonly target: string; readonly from: number } | undefined;

  function add(text: string): void {
    const paragraph = paragraphs.at(-1);
    if (paragraph) paragraph.text += text;
  }

  function begin(before: string): void {
    paragraphs.push({ text: "", before });
  }

  function endParagraph(): void {
    const paragraph = paragraphs.pop();
    const text = paragraph?.text.trim() ?? "";
    const cell = tables.at(-1)?.cell;
    if (!paragraph || text === "") return;
    if (paragraphs.length > 0) add(text);
    else if (cell) cell.push(text);
    else {
      if (lists === 0) out.gap();
      for (const line of (paragraph.before + text).split("\n")) out.line(line);
      for (const note of waiting.splice(0)) out.line(note);
    }
  }

  function endCell(): void {
    const table = tables.at(-1);
    if (!table) return;
    const text = table.cell.join("\n");
    const count = text === "" ? table.repeatCell : Math.min(maxRepeats, table.repeatCell);
    if (table.row.length + count <= maxColumns) for (let index = 0; index < count; index++) table.row.push(text);
    else if (text !== "") table.row.push(text);
    table.cell = [];
  }

  function endRow(): void {
    const table = tables.at(-1);
    if (!table) return;
    while (table.row.at(-1) === "") table.row.pop();
    const { row } = table;
    table.row = [];
    const outer = tables.at(-2);
    if (outer) {
      if (row.length > 0) outer.cell.push(row.join(" / "));
      return;
    }
    if (row.length === 0) {
      table.emptyRows += table.repeatRow;
      return;
    }
    if (table.emptyRows > 3) out.line(`[${table.emptyRows} rows are empty]`);
    else for (let offset = 0; offset < table.emptyRows; offset++) out.line("");
    table.emptyRows = 0;
    const count = Math.min(maxRepeats, table.repeatRow);
    for (let position = 0; position < count; position++) {
      table.rows++;
      if (table.isSheet) out.line(row.map((cell) => cell.replace(/[\t\n]/gu, " ")).join("\t"));
      else {
        if (table.rows === 1) out.gap();
        out.line(tableRow(row));
        if (table.rows === 1) out.line(tableRule(row.length));
      }
    }
    if (table.repeatRow > count) out.line(`[the last row ${table.repeatRow - count} times more]`);
  }

  const opened: Readonly<Record<string, (tag: XmlTag) => void>> = {
    style: (tag) => void (style = tag.attribute("name") ?? ""),
    "table-properties": (tag) => {
      if (tag.attribute("display") === "false") hiddenStyles.add(style);
    },
    h: (tag) => begin(`${"#".repeat(Math.min(6, Math.max(1, Number(tag.attribute("outline-level")) || 1)))} `),
    p: () => begin(lists > 0 ? `${"  ".repeat(Math.min(8, lists - 1))}- ` : ""),
    s: (tag) => add(" ".repeat(Math.min(100, Number(tag.attribute("c") ?? 1) || 1))),
    tab: () => add("\t"),
    "line-break": () => add("\n"),
    list: () => {
      if (lists++ === 0 && tables.length === 0) out.gap();
    },
    table: (tag) => {
      const isSheet = isSheets && tables.length === 0;
      if (isSheet) {
        out.gap();
        const isHidden = hiddenStyles.has(tag.attribute("style-name") ?? "-");
        out.line(`## Sheet: ${tag.attribute("name") ?? ""}${isHidden ? " (hidden)" : ""}`);
      }
      tables.push({ isSheet, rows: 0, repeatRow: 1, repeatCell: 1, row: [], cell: [], emptyRows: 0 });
    },
    "table-row": (tag) => set({ repeatRow: repeats(tag, "number-rows-repeated") }),
    "table-cell": (tag) => set({ repeatCell: repeats(tag, "number-columns-repeated"), cell: [] }),
    "covered-table-cell": (tag) => set({ repeatCell: repeats(tag, "number-columns-repeated"), cell: [] }),
    page: () => {
      out.gap();
      out.line(`## Slide ${++slides}`);
    },
    note: () => begin(""),
    image: () => add("[picture]"),
    a: (tag) => void (link = { target: tag.attribute("href") ?? "", from: paragraphs.at(-1)?.text.length ?? 0 }),
  };

  function set(change: Partial<Table>): void {
    const table = tables.at(-1);
    if (table) Object.assign(table, change);
  }

  const closed: Readonly<Record<string, () => void>> = {
    h: endParagraph,
    p: endParagraph,
    list: () => void lists--,
    a: () => {
      const paragraph = paragraphs.at(-1);
      const shown = paragraph?.text.slice(link?.from) ?? "";
      if (link && paragraph && shown.trim() !== "" && shown !== link.target && !link.target.startsWith("#"))
        paragraph.text = `${paragraph.text.slice(0, link.from)}[${shown}](${link.target})`;
      link = undefined;
    },
    "table-cell": endCell,
    "covered-table-cell": endCell,
    "table-row": endRow,
    table: () => {
      const table = tables.pop();
      if (table?.isSheet && table.rows === 0) out.line("[empty]");
    },
    note: () => {
      const note = paragraphs.pop();
      add(`[^${++notes}]`);
      waiting.push(`[^${notes}]: ${note?.text.trim() ?? ""}`);
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
      // White space collapses to one space, as in HTML; significant spaces have their own tags.
      if (hidden === 0) add(text.replace(/\s+/gu, " "));
    },
  };
}

function repeats(tag: XmlTag, name: string): number {
  return Math.max(1, Math.floor(Number(tag.attribute(name) ?? 1)) || 1);
}

/** Elements to skip: deleted text, numbers of notes, forms and scripts. */
const skipped: ReadonlySet<string> = new Set(["tracked-changes", "note-citation", "forms", "scripts", "annotation"]);
const maxRepeats = 100;
const maxColumns = 16_384;
