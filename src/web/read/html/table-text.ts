import type { PageLinks } from "../page-links.ts";
import { InlineMarkdown } from "./inline-text.ts";
import type { PageElement } from "./page-element.ts";
import { cellTags, tableSections } from "./tags.ts";

/** Rows of a table, including sections, excluding nested tables. */
export function tableRows(table: PageElement): readonly PageElement[] {
  return table.children.flatMap((child) => {
    if (typeof child === "string" || child.isDropped) return [];
    if (child.tag === "tr") return [child];
    return tableSections.has(child.tag) || child.tag === "form" ? tableRows(child) : [];
  });
}

export function rowCells(row: PageElement): readonly PageElement[] {
  // Tables have very many rows, and a generator for each would take longer than all the rest.
  return row.children.filter(
    (cell): cell is PageElement => typeof cell !== "string" && cellTags.has(cell.tag) && !cell.isDropped,
  );
}

/** True if rows and columns have a meaning, and the cells are short enough. */
export function isDataTable(table: PageElement, rows: readonly PageElement[]): boolean {
  const role = table.attribute("role");
  if (role === "presentation" || role === "none") return false;
  let columns = 0;
  let cells = 0;
  let headers = 0;
  let long = 0;
  for (const row of rows) {
    const inRow = rowCells(row);
    columns = Math.max(columns, inRow.length);
    for (const cell of inRow) {
      cells++;
      if (cell.tag === "th") headers++;
      if (cell.textSize > maxCellChars) long++;
      if (holds(cell, structural)) return false;
    }
  }
  if (columns < 2 || rows.length === 0) return false;
  if (headers > 0 && long * 4 < cells) return true;
  return (
    rows.length > 1 && long * 10 < cells && !rows.some((row) => rowCells(row).some((cell) => holds(cell, headings)))
  );
}

function holds(element: PageElement, tags: ReadonlySet<string>): boolean {
  for (const child of element.elements())
    if (!child.isDropped && (tags.has(child.tag) || (child.hasBlock && holds(child, tags)))) return true;
  return false;
}

const structural: ReadonlySet<string> = new Set(["table", "pre", "article", "section", "form"]);
const headings: ReadonlySet<string> = new Set(["h1", "h2", "h3"]);

/** A table in the notation of GitHub. */
export function dataTable(rows: readonly PageElement[], links: PageLinks): string {
  const grid: string[][] = [];
  /** Columns that a cell of an earlier row covers: how many more rows. */
  const covered: number[] = [];
  let width = 0;
  for (const row of rows) {
    const line: string[] = [];
    const skip = () => {
      while ((covered[line.length] ?? 0) > 0 && line.length < maxColumns) {
        covered[line.length] = (covered[line.length] ?? 1) - 1;
        line.push("");
      }
    };
    for (const cell of rowCells(row)) {
      skip();
      const span = spanOf(cell, "colspan");
      const down = spanOf(cell, "rowspan");
      const text = cellText(cell, links);
      for (let column = 0; column < span && line.length < maxColumns; column++) {
        if (down > 1) covered[line.length] = down - 1;
        line.push(column === 0 ? text : "");
      }
    }
    skip();
    if (line.every((text) => text === "")) continue;
    width = Math.max(width, line.length);
    grid.push(line);
  }
  const [first] = rows;
  const hasHeader =
    first !== undefined && (first.parent?.tag === "thead" || rowCells(first).some((cell) => cell.tag === "th"));
  if (!hasHeader) grid.unshift([]);
  const [header = [], ...body] = grid;
  // Rows can be shorter than the header. With empty cells, one wide row would make every other row long.
  const lines = [Array.from({ length: width }, (_, column) => header[column] ?? ""), ...body].map(
    (line) => `| ${line.join(" | ")} |`,
  );
  lines.splice(1, 0, `|${" --- |".repeat(width)}`);
  return lines.join("\n");
}

function cellText(cell: PageElement, links: PageLinks): string {
  const text = new InlineMarkdown(links);
  text.addChildren(cell);
  return text.toString().replaceAll("|", "\\|").replaceAll("\n", "<br>");
}

function spanOf(cell: PageElement, name: string): number {
  const value = Number.parseInt(cell.attribute(name) ?? "1", 10);
  return Number.isNaN(value) ? 1 : Math.min(Math.max(value, 1), maxSpan);
}

const maxCellChars = 400;
const maxColumns = 200;
const maxSpan = 100;
