import { err, ok, type Result } from "../../../base/result.ts";
import { plural } from "../../../base/text/text.ts";
import type { ExtractedDocument } from "../../../contracts/host/ports.ts";
import { bookText } from "./book-text.ts";
import { createExtractedText, type ExtractedText, FullText } from "./extracted-text.ts";
import { openDocumentText } from "./open-document-text.ts";
import { pdfText } from "./pdf-text.ts";
import { richText } from "./rich-text.ts";
import { slidesText } from "./slides-text.ts";
import { createWordFlow } from "./word-flow.ts";
import { readWordNumbering } from "./word-numbering.ts";
import { readWordStyles } from "./word-styles.ts";
import { workbookText } from "./workbook-text.ts";
import { relationsOf, type Relation, readPart, BadZip, openZip, type ZipArchive } from "./zip-archive.ts";

/** `what` is the kind of file; `why` is the reason why it has no text. */
export interface DocumentFault {
  readonly what: string;
  readonly why: string;
}

/**
 * Extracts the text of a document, whose kind is detected from its content. Needs time and memory, so run it in a
 * separate thread.
 */
export async function extractDocument(
  bytes: Uint8Array,
  maxChars = maxTextChars,
): Promise<Result<ExtractedDocument, DocumentFault>> {
  const out = createExtractedText(maxChars);
  let kind = "document";
  try {
    if (startsWith(bytes, "%PDF-")) {
      kind = "a PDF document";
      const why = await pdfText(bytes, out);
      if (why !== undefined) return err({ what: kind, why });
    } else if (startsWith(bytes, "{\\rtf")) {
      kind = "an RTF document";
      richText(bytes, out);
    } else {
      kind = "a ZIP archive";
      const zip = openZip(bytes, zipLimits);
      if (!zip.ok) return err({ what: kind, why: zip.error });
      const format = formatOf(zip.value);
      if (!format) return err({ what: kind, why: contentsOf(zip.value.names) });
      kind = format.kind;
      if (isLocked(zip.value)) return err({ what: kind, why: "it is protected by a password" });
      format.extract(zip.value, out);
    }
  } catch (thrown) {
    if (thrown instanceof BadZip) return err({ what: kind, why: thrown.message });
    if (!(thrown instanceof FullText)) throw thrown;
    out.note(`Only the first ${maxChars} characters of the document are here.`);
  }
  return ok({ kind, text: out.text(), notes: out.notes });
}

interface Format {
  readonly kind: string;
  extract(zip: ZipArchive, out: ExtractedText): void;
}

function formatOf(zip: ZipArchive): Format | undefined {
  const mimeType = zip.has("mimetype") ? Buffer.from(zip.read("mimetype") ?? []).toString("latin1") : "";
  if (mimeType.includes("epub")) return { kind: "an EPUB book", extract: bookText };
  if (mimeType.includes("opendocument")) return { kind: "an OpenDocument file", extract: openDocumentText };
  const main = mainPart(zip);
  if (main === undefined) return undefined;
  const named = (kind: string, text: (zip: ZipArchive, main: string, out: ExtractedText) => void): Format => ({
    kind,
    extract: (archive, out) => text(archive, main, out),
  });
  if (main.startsWith("word/")) return named("a Word document", wordText);
  if (main.startsWith("xl/") && main.endsWith(".xml")) return named("an Excel workbook", workbookText);
  return main.startsWith("ppt/") ? named("a PowerPoint presentation", slidesText) : undefined;
}

function mainPart(zip: ZipArchive): string | undefined {
  const related = [...relationsOf(zip, "").values()].find(({ type }) => type === "officeDocument")?.target;
  if (related !== undefined && zip.has(related)) return related;
  return ["word/document.xml", "xl/workbook.xml", "ppt/presentation.xml"].find((part) => zip.has(part));
}

/** OpenDocument encrypts the parts inside the archive and lists them in its manifest. */
function isLocked(zip: ZipArchive): boolean {
  const list = zip.has("META-INF/manifest.xml") ? zip.read("META-INF/manifest.xml") : undefined;
  return list !== undefined && Buffer.from(list).includes("encryption-data");
}

function contentsOf(names: readonly string[]): string {
  if (names.length === 0) return "it is empty";
  const more = names.length > maxNames ? ", …" : "";
  return `it holds ${plural(names.length, "file")}: ${names.slice(0, maxNames).join(", ")}${more}`;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(text.length, bytes.length)).toString("latin1") === text;
}

const zipLimits = { entries: 20_000, entryBytes: 150_000_000, totalBytes: 300_000_000 };
const maxTextChars = 10_000_000;
const maxNames = 8;

/**
 * Extracts a Word document as Markdown: headings, lists, tables, links, notes and comments. Tracked changes are shown
 * as accepted.
 */
function wordText(zip: ZipArchive, main: string, out: ExtractedText): void {
  const relations = relationsOf(zip, main);
  const parts = [...relations.values()];
  const named = (type: string) => parts.find((part) => part.type === type && !part.isExternal)?.target ?? "";
  const styles = readWordStyles(zip, named("styles"));
  const numbering = readWordNumbering(zip, named("numbering"));
  const read = (part: string, links: ReadonlyMap<string, Relation>, to: ExtractedText) =>
    readPart(zip, part, createWordFlow({ styles, numbering, links, out: to }));

  if (!read(main, relations, out)) out.note(damaged);
  for (const type of ["footnotes", "endnotes", "comments"]) {
    const part = named(type);
    if (part === "") continue;
    out.gap();
    if (!read(part, relationsOf(zip, part), out)) out.note(damaged);
  }
  const edges = new Set<string>();
  for (const { type, target } of parts) {
    if (type !== "header" && type !== "footer") continue;
    const lines: string[] = [];
    const collect: ExtractedText = { ...out, line: (text) => void lines.push(text), gap() {} };
    read(target, relationsOf(zip, target), collect);
    const text = lines.join(" ").trim();
    if (text !== "" && !edges.has(text)) {
      if (edges.size === 0) out.gap();
      edges.add(text);
      out.line(`[${type}: ${text}]`);
    }
  }
}

const damaged = "The document is damaged: text may be missing.";
