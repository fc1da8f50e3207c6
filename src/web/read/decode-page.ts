import { isUtf8 } from "node:buffer";

import { valueOr } from "../../base/result.ts";
import { guessEncoding } from "./guess-encoding.ts";

export interface DecodedPage {
  readonly text: string;
  /** The WHATWG name of the encoding. */
  readonly encoding: string;
}

/**
 * Bytes as text: by byte order mark, header, XML declaration or `meta` element, and by the bytes themselves if nothing
 * is declared or the declaration is wrong.
 */
export function decodePage(bytes: Uint8Array, contentType = ""): DecodedPage {
  const encoding = markedEncoding(bytes) ?? declaredEncoding(bytes, contentType) ?? guessEncoding(bytes);
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

function markedEncoding(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

/** Undefined if nothing valid is declared, or if UTF-8 is declared but the bytes are not UTF-8. */
function declaredEncoding(bytes: Uint8Array, contentType: string): string | undefined {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, maxDeclarationBytes));
  const labels = [
    /;\s*charset\s*=\s*["']?([^\s"';]+)/iu.exec(contentType)?.[1],
    /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']+)["']/iu.exec(start)?.[1],
    // Comments may mention other encodings.
    /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([^\s"'/>;]+)/iu.exec(start.replaceAll(/<!--[\s\S]*?-->/gu, ""))?.[1],
  ];
  for (const [index, label] of labels.entries()) {
    let encoding = label === undefined ? undefined : encodingNamed(label);
    // A declaration in ASCII cannot be UTF-16.
    if (index > 0 && encoding?.startsWith("utf-16")) encoding = "utf-8";
    if (encoding !== undefined && (encoding !== "utf-8" || isMostlyUtf8(bytes))) return encoding;
  }
  return undefined;
}

function encodingNamed(label: string): string | undefined {
  return valueOr(() => new TextDecoder(label.trim()).encoding, undefined);
}

/** One damaged position does not change the encoding; a page may also be cut in the middle of a character. */
function isMostlyUtf8(bytes: Uint8Array): boolean {
  if (isUtf8(bytes)) return true;
  const sample = bytes.subarray(0, maxSampleBytes);
  const text = new TextDecoder().decode(sample);
  let damaged = 0;
  let good = 0;
  for (const char of text) {
    if (char === "\ufffd") damaged++;
    else if (char > "\u007f") good++;
  }
  return damaged <= 1 || damaged * 4 < good;
}

const maxDeclarationBytes = 4096;
const maxSampleBytes = 262_144;
