import type { ExtractedText } from "./extracted-text.ts";
import { readXml } from "./xml-events.ts";

export interface SheetFacts {
  readonly strings: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly is1904: boolean;
}

/** Extracts the rows of one sheet, one line each. Returns false if the sheet is damaged. */
export function sheetText(bytes: Uint8Array, facts: SheetFacts, out: ExtractedText): boolean {
  let row: Row = createRow();
  let rowNumber = 0;
  let column = 0;
  let cell = emptyCell;
  let collecting: "value" | "formula" | "text" | undefined;
  let value = "";
  let formula = "";
  let phonetic = 0;

  function endRow(): void {
    const text = row.text();
    if (text !== undefined) {
      gapBefore(rowNumber - lastShown - 1, lastShown + 1, out);
      out.line(text);
      lastShown = rowNumber;
    }
    row = createRow();
  }
  let lastShown = 0;

  const isWhole = readXml(bytes, {
    open(name, tag) {
      if (name === "row") {
        const number = Number(tag.attribute("r"));
        rowNumber = number > rowNumber ? number : rowNumber + 1;
        column = 0;
      } else if (name === "c") {
        column = columnOf(tag.attribute("r") ?? "") ?? column + 1;
        cell = { type: tag.attribute("t") ?? "n", style: Number(tag.attribute("s") ?? 0) };
        value = "";
        formula = "";
      } else if (name === "v") collecting = "value";
      else if (name === "f") collecting = "formula";
      else if (name === "rPh") phonetic++;
      else if (name === "t" && phonetic === 0) collecting = "text";
    },
    close(name) {
      collecting = undefined;
      if (name === "rPh") phonetic--;
      else if (name === "c") row.put(column, shownCell(cell, value, formula, facts));
      else if (name === "row") endRow();
    },
    text(text) {
      if (collecting === "formula") formula += text;
      else if (collecting !== undefined) value += text;
    },
  });
  if (lastShown === 0) out.line("[empty]");
  return isWhole;
}

interface Cell {
  readonly type: string;
  readonly style: number;
}

function shownCell({ type, style }: Cell, value: string, formula: string, facts: SheetFacts): string {
  if (value === "") return formula === "" ? "" : `=${oneCell(formula)}`;
  if (type === "s") return oneCell(facts.strings[Number(value)] ?? "");
  if (type === "b") return value === "1" ? "TRUE" : "FALSE";
  if (type !== "n") return oneCell(value);
  const number = Number(value);
  return Number.isFinite(number) ? shownNumber(number, facts.formats[style] ?? "number", facts.is1904) : oneCell(value);
}

function oneCell(text: string): string {
  return /[\t\r\n\\]/u.test(text)
    ? text
        .replaceAll("\\", "\\\\")
        .replaceAll("\t", "\\t")
        .replace(/\r\n?|\n/gu, "\\n")
    : text;
}

interface Row {
  put(column: number, text: string): void;
  /** Returns undefined for an empty row. */
  text(): string | undefined;
}

/**
 * Writes the cells in the order of the file. A wide gap is written as the position of its end, so that a cell far to
 * the right costs little.
 */
function createRow(): Row {
  let line = "";
  let last = 0;
  return {
    put(column, text) {
      if (text === "" || column <= last) return;
      const apart = column - Math.max(1, last);
      line += apart > widestGap ? `\t[… ${columnName(column)}:]\t` : "\t".repeat(apart);
      line += text;
      last = column;
    },
    text: () => (last === 0 ? undefined : line),
  };
}

function gapBefore(missing: number, from: number, out: ExtractedText): void {
  if (missing > maxEmptyRows) out.line(`[rows ${from} to ${from + missing - 1} are empty]`);
  else for (let count = 0; count < missing; count++) out.line("");
}

/** Returns the column number: 28 for `AB7`. */
function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/u.exec(reference)?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function columnName(column: number): string {
  let name = "";
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCodePoint(65 + ((left - 1) % 26)) + name;
  return name;
}

const emptyCell: Cell = { type: "n", style: 0 };
const widestGap = 20;
const maxEmptyRows = 3;

/** The display format of a number, as far as it matters to a reader. */
export type CellFormat = "number" | "percent" | "date" | "time" | "date and time" | "duration";

/** Returns the format for the id of a built-in format, or for the text of a custom one. */
export function cellFormat(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtIn(id);
  // Ignores quoted text, escaped characters, colours, conditions and fillers; only the first part of the format is
  // used.
  const plain = code
    .split(";", 1)
    .join("")
    .replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/giu, "")
    .toLowerCase();
  if (/\[[hms]+\]/u.test(plain)) return "duration";
  if (plain === "" || plain === "general" || /[#0?]/u.test(plain.replace(/s\.0+/gu, "s"))) {
    return plain.includes("%") ? "percent" : "number";
  }
  const hasTime = /[hs]/u.test(plain);
  const hasDate = /[yd]/u.test(plain) || (/m/u.test(plain) && !hasTime);
  if (hasDate) return hasTime ? "date and time" : "date";
  return hasTime ? "time" : "number";
}

/** Formats the number as a person reads it: without floating-point noise, dates in ISO form. */
function shownNumber(value: number, format: CellFormat, is1904: boolean): string {
  if (format === "percent") return `${plainNumber(value * 100)}%`;
  if (format === "number" || value < 0 || value >= lastSerial) return plainNumber(value);
  if (format === "duration") return durationText(Math.round(value * 86_400));
  const iso = new Date(Math.round((dayOf(value, is1904) + (value % 1)) * 86_400_000)).toISOString();
  const day = iso.slice(0, 10);
  const time = iso.slice(11, iso.slice(17, 19) === "00" ? 16 : 19);
  if (format === "date") return day;
  return format === "time" ? time : `${day} ${time}`;
}

function builtIn(id: number): CellFormat {
  if (id === 9 || id === 10) return "percent";
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) return "date";
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return "time";
  if (id === 22) return "date and time";
  return id === 46 ? "duration" : "number";
}

function plainNumber(value: number): string {
  return String(Number(value.toPrecision(15)));
}

function durationText(seconds: number): string {
  const two = (count: number) => String(count).padStart(2, "0");
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** Returns the days since 1970. Excel counts from 1900 and includes the nonexistent 29 February 1900. */
function dayOf(value: number, is1904: boolean): number {
  const serial = Math.floor(value);
  if (is1904) return serial - 24_107;
  return serial - (serial < 60 ? 25_568 : 25_569);
}

/** The highest date: later ones are after the year 9999. */
const lastSerial = 2_958_466;
