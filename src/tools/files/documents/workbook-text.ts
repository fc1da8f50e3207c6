import type { ExtractedText } from "./extracted-text.ts";
import { type CellFormat, cellFormat, sheetText } from "./sheet-text.ts";
import type { XmlEvents } from "./xml-events.ts";
import { readPart, relationsOf, type ZipArchive } from "./zip-archive.ts";

/**
 * Extracts an Excel workbook: a heading for each sheet, then its rows with cells separated by tabs. Formulas show their
 * stored values.
 */
export function workbookText(zip: ZipArchive, main: string, out: ExtractedText): void {
  const relations = relationsOf(zip, main);
  const named = (type: string) => [...relations.values()].find((part) => part.type === type)?.target ?? "";
  const { sheets, is1904, isWhole } = readWorkbook(zip, main);
  const strings: string[] = [];
  const areStringsWhole = readPart(zip, named("sharedStrings"), sharedStrings(strings));
  const formats = readFormats(zip, named("styles"));
  if (!isWhole || !areStringsWhole) out.note(damaged);
  for (const { name, id, isHidden } of sheets) {
    out.gap();
    out.line(`## Sheet: ${name}${isHidden ? " (hidden)" : ""}`);
    const part = relations.get(id);
    if (part?.type !== "worksheet") {
      out.line(part === undefined ? "[missing]" : `[a ${part.type}, without cells]`);
      continue;
    }
    const bytes = zip.read(part.target);
    if (bytes === undefined) out.line("[missing]");
    else if (!sheetText(bytes, { strings, formats, is1904 }, out)) out.note(damaged);
    for (const relation of relationsOf(zip, part.target).values())
      if (relation.type === "comments") readPart(zip, relation.target, comments(out));
  }
}

interface Sheet {
  readonly name: string;
  readonly id: string;
  readonly isHidden: boolean;
}

function readWorkbook(
  zip: ZipArchive,
  main: string,
): { readonly sheets: readonly Sheet[]; readonly is1904: boolean; readonly isWhole: boolean } {
  const sheets: Sheet[] = [];
  let is1904 = false;
  const isWhole = readPart(zip, main, {
    open(name, tag) {
      if (name === "workbookPr") is1904 = /^(?:1|true)$/u.test(tag.attribute("date1904") ?? "");
      if (name !== "sheet") return;
      const state = tag.attribute("state") ?? "visible";
      sheets.push({
        name: tag.attribute("name") ?? "",
        id: tag.attribute("id") ?? "",
        isHidden: state !== "visible",
      });
    },
  });
  return { sheets, is1904, isWhole };
}

/** Reads the shared strings of the cells. Joins the pieces of one text, and omits phonetic hints. */
function sharedStrings(strings: string[]): XmlEvents {
  let text = "";
  let isText = false;
  let phonetic = 0;
  return {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") phonetic++;
      else if (name === "t") isText = phonetic === 0;
    },
    close(name) {
      if (name === "si") strings.push(text);
      else if (name === "rPh") phonetic--;
      else if (name === "t") isText = false;
    },
    text(part) {
      if (isText) text += part;
    },
  };
}

function readFormats(zip: ZipArchive, part: string): readonly CellFormat[] {
  const codes = new Map<number, string>();
  const formats: CellFormat[] = [];
  let isCellStyles = false;
  readPart(zip, part, {
    open(name, tag) {
      const id = Number(tag.attribute("numFmtId") ?? 0);
      if (name === "numFmt") codes.set(id, tag.attribute("formatCode") ?? "");
      else if (name === "cellXfs") isCellStyles = true;
      else if (name === "xf" && isCellStyles) formats.push(cellFormat(id, codes.get(id)));
    },
    close(name) {
      if (name === "cellXfs") isCellStyles = false;
    },
  });
  return formats;
}

function comments(out: ExtractedText): XmlEvents {
  let section = "";
  let text = "";
  let isText = false;
  return {
    open(name, tag) {
      if (name === "comment") {
        section = tag.attribute("ref") ?? "";
        text = "";
      }
      isText = name === "t";
    },
    close(name) {
      if (name === "comment" && text.trim() !== "")
        out.line(`[comment ${section}] ${text.trim().replace(/\s+/gu, " ")}`);
      isText = false;
    },
    text(part) {
      if (isText) text += part;
    },
  };
}

const damaged = "The workbook is damaged: cells may be missing.";
