import { graphemes, graphemeWidth } from "../../../../base/text/graphemes.ts";

/** How a terminal treats rows when the width of its window changes. */
export interface ReflowFacts {
  /** True if the terminal wraps rows instead of cutting them when the window becomes narrower. */
  readonly reflows: () => boolean;
  /** True if the terminal also wraps the row of the cursor. */
  readonly reflowsCursorRow: () => boolean;
  /** True if the cursor moves by every row that is added or removed, even by rows below it (xterm.js). */
  readonly driftsDown: () => boolean;
}

/**
 * The rows at the end of a terminal's text, computed from the bytes that it received and the widths of its window. The
 * order of widths between two writes does not matter: only the last one does.
 */
export interface WindowRows {
  resize(columns: number): void;
  /** Applies the bytes of a frame. */
  write(bytes: string): void;
  /** The lines as the terminal wraps them, each with its first row. */
  lines(): readonly ShownLine[];
  readonly cursorRow: number;
}

export interface ShownLine {
  readonly text: string;
  readonly row: number;
  readonly rows: number;
}

interface Row {
  /** One string per column. The second column of a wide character is empty. */
  cells: string[];
  /** True if the terminal wrapped the previous row into this one. */
  isContinuation: boolean;
}

export interface WindowStart {
  readonly columns: number;
  /** Finished lines, each at the start of a row. */
  readonly lines: readonly string[];
  /** Rows below them, which never wrap. */
  readonly rows: readonly string[];
  /** The cursor in these rows. */
  readonly row: number;
  readonly column: number;
}

export function createWindowRows(start: WindowStart, facts: ReflowFacts): WindowRows {
  let columns = start.columns;
  let rows: Row[] = start.lines.flatMap((line) => wrapped(cellsOf(line), columns));
  let row = rows.length + start.row;
  let column = start.column;
  let isWrapping = false;
  rows.push(...start.rows.map((text) => ({ cells: cellsOf(text).slice(0, columns), isContinuation: false })));
  fill();

  function blank(): Row {
    return { cells: [], isContinuation: false };
  }

  /** The row of the cursor exists. */
  function fill(): Row {
    while (rows.length <= row) rows.push(blank());
    return rows[row] ?? blank();
  }

  /** The rows that belong to one line. */
  function groups(): Row[][] {
    const all: Row[][] = [];
    for (const each of rows) {
      const last = all.at(-1);
      if (each.isContinuation && last) last.push(each);
      else all.push([each]);
    }
    return all;
  }

  function resize(width: number): void {
    if (width === columns) return;
    if (!facts.reflows()) {
      if (width < columns) for (const each of rows) each.cells = each.cells.slice(0, width);
    } else reflow(width);
    columns = width;
    column = Math.min(column, columns - 1);
    fill();
  }

  function reflow(width: number): void {
    const isDrifting = facts.driftsDown();
    const reflowed: Row[][] = [];
    let first = rows.length;
    let added = 0;
    let above = 0;
    // From the last line to the first, because xterm.js moves the cursor after each line.
    for (const group of groups().toReversed()) {
      first -= group.length;
      const offset = row + (isDrifting && width < columns ? added : 0) - first;
      const hasCursor = offset >= 0 && offset < group.length;
      const parts =
        hasCursor && !facts.reflowsCursorRow()
          ? group.map(({ cells, isContinuation }) => ({ cells: cells.slice(0, width), isContinuation }))
          : wrapped(joined(group, columns), width);
      if (hasCursor && facts.reflowsCursorRow()) {
        const position = offset * columns + column;
        above = Math.floor(position / width) - offset;
        column = position % width;
        while (parts.length <= offset + above) parts.push({ cells: [], isContinuation: true });
      } else if (first < row || isDrifting) above += parts.length - group.length;
      added += parts.length - group.length;
      reflowed.unshift(parts);
    }
    row = Math.max(0, row + above);
    rows = reflowed.flat();
  }

  function print(text: string): void {
    for (const character of graphemes(text)) {
      const width = graphemeWidth(character);
      if (width === 0) continue;
      if (column + width > columns) {
        if (isWrapping) {
          row++;
          column = 0;
          fill().isContinuation = true;
        } else column = Math.max(0, columns - width);
      }
      const { cells } = fill();
      while (cells.length < column) cells.push(" ");
      cells.splice(column, width, character, ...(width > 1 ? [""] : []));
      column += width;
    }
  }

  function eraseRow(): void {
    const here = fill();
    here.cells = here.cells.slice(0, column);
    if (column === 0) here.isContinuation = false;
  }

  function control(count: number, final: string): void {
    if (final === "A") row = Math.max(0, row - count);
    else if (final === "C") column = Math.min(columns - 1, column + count);
    else if (final === "G") column = Math.min(columns, count) - 1;
    else if (final === "K") eraseRow();
    else if (final === "J") {
      eraseRow();
      rows.length = row + 1;
    } else if (final === "L") {
      rows.splice(row, 0, ...Array.from({ length: count }, blank));
      column = 0;
    } else if (final === "M") {
      rows.splice(row, count);
      column = 0;
    }
    fill();
  }

  return {
    resize,
    write(bytes) {
      for (const { 0: part, groups: named } of bytes.matchAll(parts)) {
        if (named?.["final"]) {
          if (named["values"] === "?7") isWrapping = named["final"] === "h";
          else if (!named["values"]?.startsWith("?")) {
            column = Math.min(column, columns - 1);
            control(Number(named["values"] || 0) || (named["final"] === "J" ? 0 : 1), named["final"]);
          }
        } else if (part === "\r") column = 0;
        else if (part === "\n") {
          row++;
          fill();
        } else if (!part.startsWith("\x1b")) print(part);
      }
    },
    lines() {
      let first = 0;
      return groups().map((group) => {
        const line = { text: textOf(joined(group, columns)), row: first, rows: group.length };
        first += group.length;
        return line;
      });
    },
    get cursorRow() {
      return row;
    },
  };
}

/** The text of a line as `WindowRows` shows it. */
export function plainLine(line: string): string {
  return textOf(cellsOf(line));
}

function textOf(cells: readonly string[]): string {
  return cells.join("").trimEnd();
}

function cellsOf(line: string): string[] {
  return graphemes(line.replaceAll(styles, "")).flatMap((character) => {
    const width = graphemeWidth(character);
    return width === 0 ? [] : width === 1 ? [character] : [character, ""];
  });
}

function joined(group: readonly Row[], columns: number): string[] {
  return group.flatMap(({ cells }, index) =>
    index === group.length - 1 ? cells : [...cells, ...Array<string>(Math.max(0, columns - cells.length)).fill(" ")],
  );
}

/** Cuts a line into rows. A wide character that does not fit moves to the next row. */
function wrapped(cells: readonly string[], columns: number): Row[] {
  const rows: Row[] = [{ cells: [], isContinuation: false }];
  for (const [index, cell] of cells.entries()) {
    const last = rows.at(-1);
    const width = cells[index + 1] === "" ? 2 : 1;
    if (last && (cell === "" || last.cells.length + width <= columns)) last.cells.push(cell);
    else rows.push({ cells: [cell], isContinuation: true });
  }
  return rows;
}

/* oxlint-disable no-control-regex -- escape sequences are what it finds */
const styles = /\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)/gu;
const parts =
  /\x1b\[(?<values>[?>]?[0-9;:]*)(?<final>[A-Za-z])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b.?|[\r\n]|[^\x1b\r\n]+/gu;
