import { z } from "zod";

import type { Clock } from "../../base/clock.ts";
import { imageFacts, type ImageFacts } from "../../base/files/image-facts.ts";
import type { JsonObject } from "../../base/json.ts";
import { ok, type Result, err } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import type { ExtractedDocument, FileReads, ShownLines } from "../../contracts/host/ports.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, json, type ToolResult, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { classifyContent, decode, type FileContent } from "./file-content.ts";
import { seenVersion, fileFailure } from "./file-on-disk.ts";
import { fileToRead, type FileToRead, readBytes } from "./file-to-read.ts";
import { notebookText } from "./notebook.ts";
import { numberedLines, type NumberedLines, createLineWindow, type LineLimits } from "./numbered-lines.ts";
import { readableText } from "./text-encoding.ts";
import { effectPath } from "./tool-path.ts";

const maxChars = 100_000;
const bigBytes = 512 * 1024;
/** The maximum size. Larger files are read in parts, and the file tools cannot change them. */
const maxBytes = 100_000_000;

export default defineTool({
  name: "read_file",
  toolset: "file",
  description:
    "Read a file. Text comes as lines N|text; number and bar are not in the file. Continue with offset = next_offset. " +
    "Documents (PDF, Office, EPUB, RTF, notebooks) become text, images are shown. Use this instead of cat, head, tail " +
    "or sed.",
  emoji: "📖",
  input: z.object({
    path: z.string().min(1).describe("Absolute, relative or ~/…"),
    offset: z.int().min(1).default(1).describe("First line, 1-based"),
    limit: z.int().min(1).optional().describe("Max lines"),
  }),
  needs: ["environment", "fileReads"],
  traits: { readOnly: true, parallel: true, callers: "both", maxResultChars: Infinity },
  effects: ({ path }, place) => [{ kind: "read", path: effectPath(path, place) }],
  async run({ path, offset, limit }, ctx) {
    const match = await fileToRead(path, ctx);
    if (!match.ok) return match;
    const max = ctx.fileReads.page.lines;
    const window = { offset, limit: Math.min(limit ?? max, max) };
    return match.value.bytes > maxBytes ? bigFile(match.value, window, ctx) : wholeFile(match.value, window, ctx);
  },
});

type Context = ToolContext<"environment" | "fileReads">;
type Window = { readonly offset: number; readonly limit: number };

async function wholeFile(file: FileToRead, window: Window, ctx: Context): Promise<ToolResult> {
  const { environment, fileReads, clock, signal, origin } = ctx;
  const read = await readBytes(file, environment, signal);
  if (!read.ok) return read;
  const { bytes, hash, hasGrown } = read.value;
  const facts = factsOf(file, bytes.length, ctx);
  const image = imageFacts(bytes);
  const text = image ? undefined : await textOf(file, bytes, hash, ctx);
  if (text?.kind === "none") return refused(file.path, bytes, text.why, facts);
  const lines = text && numberedLines(text.utf8, window, limitsOf(ctx));
  // The extracted text is not the content that a write would replace, so it is not recorded as seen.
  fileReads.record(
    file.path,
    text?.isExtracted === false ? seenVersion(bytes, clock.now(), hash) : { hash, at: clock.now() },
    lines && shownOf(lines, window),
  );
  // For these callers the model does not see the result itself, so a repeat is not marked.
  if (origin !== "script" && origin !== "user" && fileReads.repeats(JSON.stringify([file.path, hash, window])))
    return unchanged(facts);
  if (image) return shownImage(file.path, bytes, image, facts, ctx);
  if (!lines) return refused(file.path, bytes, undefined, facts);
  const notes = [...text.notes];
  if (file.note !== undefined) notes.unshift(file.note);
  if (hasGrown) notes.push("The file grew while it was read: there is more of it.");
  return page(lines, window, bytes.length, { facts, notes, isExtracted: text.isExtracted }, ctx);
}

/** The range of lines. Undefined: all lines. */
function shownOf({ totalLines: total, nextOffset }: NumberedLines, { offset }: Window): ShownLines | undefined {
  const last = nextOffset === undefined ? total : nextOffset - 1;
  return offset === 1 && last === total ? undefined : { first: offset, last, total };
}

type FileText =
  | {
      readonly kind: "text";
      readonly utf8: Uint8Array;
      readonly notes: readonly string[];
      /** True for text extracted from a document or notebook, which is not the file's own text. */
      readonly isExtracted: boolean;
    }
  | { readonly kind: "none"; readonly why?: string };

async function textOf(
  { path }: FileToRead,
  bytes: Uint8Array,
  hash: string,
  { fileReads, clock, signal }: Context,
): Promise<FileText> {
  const document = await documentOf(bytes, hash, fileReads, { signal, clock });
  if (document && !document.ok) return { kind: "none", why: document.error };
  if (document) {
    const { kind, text, notes } = document.value;
    return {
      kind: "text",
      utf8: Buffer.from(text),
      notes: [`This is the text of ${kind}; the file itself has other bytes.`, ...notes],
      isExtracted: true,
    };
  }
  const readable = readableText(bytes);
  if (!readable) return { kind: "none" };
  const cells = path.endsWith(".ipynb") ? notebookText(decode(readable.utf8)) : undefined;
  const notes = readable.note === undefined ? [] : [readable.note];
  if (cells === undefined) return { kind: "text", utf8: readable.utf8, notes, isExtracted: false };
  notes.push("These are the cells of the notebook; the file itself is JSON with other lines.");
  return { kind: "text", utf8: Buffer.from(cells), notes, isExtracted: true };
}

async function bigFile(file: FileToRead, window: Window, ctx: Context): Promise<ToolResult> {
  const facts = factsOf(file, file.bytes, ctx);
  const read = await linesOfBigFile(file, window, limitsOf(ctx), ctx.environment.files, ctx.signal);
  if (!read.ok) return read;
  const { content, lines } = read.value;
  if (content.kind === "binary") return refusedAs(file.path, content, file.bytes, facts);
  const notes = [`The file has ${plural(file.bytes, "byte")}: the file tools do not change one as big as this.`];
  if (file.note !== undefined) notes.unshift(file.note);
  if (content.damaged) notes.push("Bytes that are not UTF-8 are shown as \ufffd.");
  return page(lines, window, file.bytes, { facts, notes, isExtracted: false, isTotalKnown: !lines.nextOffset }, ctx);
}

interface PageFacts {
  readonly facts: JsonObject;
  readonly notes: readonly string[];
  readonly isExtracted: boolean;
  readonly isTotalKnown?: boolean;
}

function page(
  lines: NumberedLines,
  { offset }: Window,
  bytes: number,
  { facts, notes, isExtracted, isTotalKnown = true }: PageFacts,
  { fileReads }: Context,
): ToolResult {
  const { totalLines, nextOffset, cutLines, stoppedBy } = lines;
  const hints: string[] = [];
  if (totalLines === 0) hints.push(isExtracted ? "There is no text in it." : "The file is empty.");
  else if (offset > totalLines) hints.push(`The file has only ${plural(totalLines, "line")}.`);
  if (nextOffset !== undefined) {
    const left = isTotalKnown ? `${totalLines - nextOffset + 1} more` : "There is more";
    hints.push(`${left}: continue with offset ${nextOffset}.`);
  }
  if (cutLines > 0) hints.push(`Lines of more than ${fileReads.page.lineChars} characters are cut.`);
  if (nextOffset !== undefined && bytes > bigBytes) hints.push("The file is big: read only the parts you need.");
  hints.push(...notes);
  return json({
    content: lines.content,
    ...(isTotalKnown && { total_lines: totalLines }),
    ...facts,
    truncated: nextOffset !== undefined || cutLines > 0,
    ...(nextOffset !== undefined && { next_offset: nextOffset }),
    ...(stoppedBy && { truncated_by: stoppedBy }),
    ...(isExtracted && { extracted_document: true }),
    ...(hints.length > 0 && { hint: hints.join(" ") }),
  });
}

function unchanged(facts: JsonObject): ToolResult {
  return json({
    ...facts,
    status: "unchanged",
    dedup: true,
    content_returned: false,
    hint: "Your last read showed the same, and the file is unchanged. If you no longer see it, read once more.",
  });
}

/** `why` is the reason why a document has no text. */
function refused(path: string, bytes: Uint8Array, why: string | undefined, facts: JsonObject): ToolResult {
  const content = classifyContent(bytes);
  if (why !== undefined)
    return fail(`${path} is ${why}`, "failed", { data: { ...facts, is_binary: true, is_image: false } });
  return content.kind === "binary"
    ? refusedAs(path, content, bytes.length, facts)
    : fail(`${path} cannot be shown as text.`, "failed", { data: facts });
}

function refusedAs(
  path: string,
  { description, isImage, advice }: Extract<FileContent, { kind: "binary" }>,
  bytes: number,
  facts: JsonObject,
): ToolResult {
  const next = advice ?? "Look into it in the terminal, such as: file, xxd FILE | head, strings";
  return fail(`${path} is ${description}, ${plural(bytes, "byte")}. It cannot be shown as text. ${next}.`, "failed", {
    data: { ...facts, is_binary: true, is_image: isImage },
  });
}

function factsOf({ path }: FileToRead, bytes: number, { environment }: Context): JsonObject {
  return { resolved_path: path, file_size: bytes, backend: environment.kind };
}

function limitsOf({ fileReads }: Context) {
  return { maxChars, maxLineChars: fileReads.page.lineChars };
}

/** Returns lines of a file that is too large to read completely. The file is searched chunk by chunk. */
async function linesOfBigFile(
  { path, bytes }: FileToRead,
  window: { readonly offset: number; readonly limit: number },
  limits: LineLimits,
  files: FileSystem,
  signal: AbortSignal,
): Promise<Result<{ readonly content: FileContent; readonly lines: NumberedLines }, ToolFailure>> {
  const head = await files.read(path, signal, { from: 0, bytes: headBytes });
  if (!head.ok) return fileFailure(head.error);
  const content = classifyContent(head.value);
  const lines = createLineWindow(window, limits, head.value);
  if (content.kind === "binary") return ok({ content, lines: lines.end() });
  for (let from = 0; from < bytes && !lines.isFull; from += pieceBytes) {
    if (from >= maxScanned)
      return fail(
        `Line ${window.offset} of ${path} comes after its first ${maxScanned} bytes, which is as far as this tool looks. ` +
          `Use the terminal, such as: sed -n '${window.offset},+99p', or tail.`,
      );
    const piece = await files.read(path, signal, { from, bytes: pieceBytes });
    if (!piece.ok) return fileFailure(piece.error);
    if (piece.value.length === 0) break;
    lines.feed(piece.value);
  }
  return ok({ content, lines: lines.end() });
}

const headBytes = 65_536;
const pieceBytes = 8 * 1024 * 1024;
const maxScanned = 2_000_000_000;

/**
 * The document in the bytes, recognised by its first bytes. Undefined if it is not a document. An error completes "the
 * file is …": its kind, why it has no text and what to do.
 */
async function documentOf(
  bytes: Uint8Array,
  hash: string,
  reads: Pick<FileReads, "document">,
  within: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<Result<ExtractedDocument, string> | undefined> {
  const kind = kinds.find(({ begins }) => begins.every((byte, index) => bytes[index] === byte));
  if (isLockedOffice(bytes))
    return err(
      `an office document, ${plural(bytes.length, "byte")}: it is protected by a password. Save it without one.`,
    );
  if (!kind) return undefined;
  const { documentText } = await import("./documents/document-text.ts");
  const extracted = await reads.document(hash, () => documentText(bytes, within));
  if (extracted.ok) return ok(extracted.value);
  const { what, why } = extracted.error;
  return err(`${what === "a document" ? kind.name : what}, ${plural(bytes.length, "byte")}: ${why}. ${kind.advice}.`);
}

/** Returns whether this is an encrypted Office document, which is stored in an old container format under this name. */
function isLockedOffice(bytes: Uint8Array): boolean {
  return bytes[0] === 0xd0 && bytes[1] === 0xcf && Buffer.from(bytes).includes("EncryptedPackage", 0, "utf16le");
}

const kinds = [
  { name: "a PDF document", begins: Buffer.from("%PDF-"), advice: "Try the terminal, such as: pdftotext, ocrmypdf" },
  {
    name: "a ZIP archive or a document that is one",
    begins: Buffer.from("PK\x03\x04"),
    advice: "Look into it in the terminal, such as: unzip -l",
  },
  { name: "an RTF document", begins: Buffer.from("{\\rtf"), advice: "Try the terminal, such as: strings" },
];

/** Returns an image for the model or, for a text-only model, a description and advice. */
async function shownImage(
  path: string,
  bytes: Uint8Array,
  { format, mimeType, size }: ImageFacts,
  facts: JsonObject,
  { fileReads, signal }: Context,
): Promise<ToolResult> {
  const pixels = size ? `${size.width} x ${size.height} pixels, ` : "";
  const what = `${path} is a ${format} image, ${pixels}${plural(bytes.length, "byte")}.`.replace(
    / a (AVIF|ICO)/u,
    " an $1",
  );
  const data: JsonObject = {
    ...facts,
    is_image: true,
    format,
    ...(mimeType !== undefined && { mime_type: mimeType }),
    ...size,
  };
  const canSee = fileReads.page.images;
  if (canSee && fileReads.prepareImage) {
    const picture = await fileReads.prepareImage(bytes, { name: path }, signal);
    if (!picture.ok) return fail(picture.error.message, "failed", { data: { ...data, is_binary: true } });
    const { content, original, shown, notes } = picture.value;
    const scale = shown.width === original.width ? [] : [`It is shown at ${shown.width} x ${shown.height} pixels.`];
    const text = [what, ...scale, ...notes].join(" ");
    return { ok: true, value: { content: [{ type: "text", text }, content], data: { ...data, ...original } } };
  }
  const refusal = refusalOf({ format, mimeType, size }, bytes.length, canSee);
  if (refusal !== undefined || mimeType === undefined)
    return fail(`${what} ${refusal}`, "failed", { data: { ...data, is_binary: true } });
  const image = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return {
    ok: true,
    value: {
      content: [
        { type: "text", text: what },
        { type: "image", mimeType, data: image },
      ],
      data,
    },
  };
}

interface Facts {
  readonly format: string;
  readonly mimeType: string | undefined;
  readonly size: ImageFacts["size"];
}

function refusalOf({ mimeType, size }: Facts, bytes: number, canSee: boolean): string | undefined {
  if (!canSee) return "It is not shown: this model cannot see images. A tool that describes or reads images can help.";
  if (mimeType === undefined)
    return "It is not shown: models do not take this format. Convert it first, such as: magick FILE out.png";
  if (!size) return "It cannot be shown: it is damaged.";
  if (Math.max(size.width, size.height) > maxPixels)
    return `It is not shown: a side has more than ${maxPixels} pixels. ${makeSmaller}`;
  return bytes > maxImageBytes ? `It is not shown: it has more than ${maxImageBytes} bytes. ${makeSmaller}` : undefined;
}

const maxImageBytes = 4_000_000;
const maxPixels = 7900;
const makeSmaller = "Make a smaller copy first, such as: magick FILE -resize '1600x1600>' -quality 85 out.jpg";
