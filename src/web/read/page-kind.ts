import type { PageKind } from "./page-text.ts";

/** `document`: bytes for the converter. `binary`: no text. */
export type SourceKind = PageKind | "binary";

/** The kind of the bytes. Their beginning takes precedence over a header that is missing, vague or wrong. */
export function sourceKind(bytes: Uint8Array, contentType: string | undefined, url: string): SourceKind {
  if (isDocument(bytes)) return "document";
  const type = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (isBinary(bytes)) return "binary";
  const start = startText(bytes);
  const bySyntax = syntaxKind(start);
  if (/\bjson\b/u.test(type)) return bySyntax === "html" ? "html" : "json";
  if (type === "text/html" || type === "application/xhtml+xml") return bySyntax === "feed" ? "feed" : "html";
  if (/\bxml\b/u.test(type)) return bySyntax ?? "xml";
  if (type === "text/markdown" || type === "text/x-markdown") return "markdown";
  if (/^(?:image|audio|video|font)\//u.test(type) && type !== "image/svg+xml") return "binary";
  const path = URL.canParse(url) ? new URL(url).pathname : "";
  if (type === "text/plain" || (type.startsWith("text/") && type !== "text/xml"))
    return /\.(?:md|markdown|mdown|mkd)$/iu.test(path) ? "markdown" : "text";
  if (/\.(?:md|markdown)$/iu.test(path) && bySyntax === undefined) return "markdown";
  return bySyntax ?? (/^\s*[[{]/u.test(start) ? "json" : "text");
}

function syntaxKind(start: string): "html" | "feed" | "xml" | undefined {
  const text = start.replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, "").trimStart();
  if (!text.startsWith("<")) return undefined;
  const root = /<(?![?!])([\w:.-]+)/u.exec(text)?.[1]?.toLowerCase() ?? "";
  if (["rss", "feed", "rdf:rdf", "urlset", "sitemapindex", "opml"].includes(root)) return "feed";
  if (/^<!doctype\s+html/iu.test(text) || htmlRoots.has(root)) return "html";
  return text.startsWith("<?xml") || root.includes(":") ? "xml" : "html";
}

const htmlRoots: ReadonlySet<string> = new Set([
  "html",
  "head",
  "body",
  "div",
  "p",
  "table",
  "title",
  "meta",
  "article",
]);

/** PDF, RTF, and ZIP archives, which Office documents and EPUB books are. */
function isDocument(bytes: Uint8Array): boolean {
  const start = latin(bytes.subarray(0, 8));
  // Bytes before the header of a PDF are common.
  if (start.startsWith("PK\x03\x04") || start.startsWith("{\\rtf")) return true;
  return /^[\s\xef\xbb\xbf]{0,8}%PDF-/u.test(latin(bytes.subarray(0, 16)));
}

/** Control characters that no text has; UTF-16 has NULs too, but only in every other byte. */
function isBinary(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, 2048);
  const isMarked = (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff);
  if (isMarked) return false;
  let nuls = [0, 0];
  let controls = 0;
  for (const [index, byte] of sample.entries()) {
    if (byte === 0) nuls = index % 2 === 0 ? [(nuls[0] ?? 0) + 1, nuls[1] ?? 0] : [nuls[0] ?? 0, (nuls[1] ?? 0) + 1];
    else if (byte < 0x20 && !textControls.has(byte)) controls++;
  }
  const [even = 0, odd = 0] = nuls;
  const isWide = Math.max(even, odd) > sample.length / 5 && Math.min(even, odd) * 10 < Math.max(even, odd);
  if (isWide) return controls > sample.length / 20;
  return even + odd > sample.length / 200 || controls > sample.length / 50;
}

/** Tab, line feed, form feed, carriage return, vertical tab, escape (in ISO-2022-JP). */
const textControls: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b]);

function startText(bytes: Uint8Array): string {
  const text = latin(bytes.subarray(0, 4096));
  // NULs of UTF-16 and the bytes of a mark.
  return text.replaceAll("\0", "").replace(/^(?:ÿþ|þÿ|ï»¿)/u, "");
}

function latin(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}
