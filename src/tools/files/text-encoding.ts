import { isUtf8 } from "node:buffer";

import { classifyContent, decode } from "./file-content.ts";
import { magicKind } from "./magic-bytes.ts";

export interface ReadableText {
  readonly utf8: Uint8Array;
  /** A note for the reader if the file is not UTF-8. */
  readonly note?: string;
}

/** Decodes the bytes. Undefined if they are not text. */
export function readableText(bytes: Uint8Array): ReadableText | undefined {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) {
    const text = new TextDecoder(wide).decode(bytes);
    return {
      utf8: Buffer.from(text),
      note: `The file is ${wide.toUpperCase()} text; patch does not change such a file.`,
    };
  }
  const content = classifyContent(bytes);
  if (content.kind === "text" && !content.damaged) return { utf8: bytes };
  if (content.kind === "binary" && magicKind(bytes)) return undefined;
  if (hasFewNuls(bytes)) return withoutNuls(bytes);
  if (bytes.length <= maxConverted && isLatin(bytes)) {
    return {
      utf8: Buffer.from(new TextDecoder("windows-1252").decode(bytes)),
      note: "The file is not UTF-8; it is shown as Latin-1 (Windows-1252). patch does not change such a file.",
    };
  }
  if (content.kind === "binary") return undefined;
  return { utf8: bytes, note: "Bytes that are not UTF-8 are shown as \ufffd; patch does not change such a file." };
}

/** UTF-16 is detected by the byte order mark, or by NULs in every other byte, as in Latin text. */
function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes.length < 2 || bytes.length % 2 === 1 || bytes.length > maxConverted) return undefined;
  const encoding = markedEncoding(bytes) ?? patternedEncoding(bytes.subarray(0, 4096));
  if (encoding === undefined) return undefined;
  const sample = new TextDecoder(encoding).decode(bytes.subarray(0, 65_536));
  // oxlint-disable-next-line no-control-regex -- text does not contain these control characters
  const odd = sample.match(/[\0-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0;
  return odd <= sample.length / 100 ? encoding : undefined;
}

function markedEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : undefined;
}

function patternedEncoding(sample: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (sample.length < 8) return undefined;
  let even = 0;
  let odd = 0;
  for (let index = 0; index < sample.length; index++) {
    if (sample[index] !== 0) continue;
    if (index % 2 === 0) even++;
    else odd++;
  }
  const max = sample.length * 0.35;
  if (odd > max && even === 0) return "utf-16le";
  return even > max && odd === 0 ? "utf-16be" : undefined;
}

/** Returns whether the text contains only a few NULs, such as a log after a crash. */
function hasFewNuls(bytes: Uint8Array): boolean {
  let nuls = 0;
  for (let index = bytes.indexOf(0); index >= 0; index = bytes.indexOf(0, index + 1))
    if (++nuls > bytes.length / 200) return false;
  return nuls > 0 && isUtf8(bytes) && classifyContent(bytes.filter((byte) => byte !== 0)).kind === "text";
}

function withoutNuls(bytes: Uint8Array): ReadableText {
  return {
    utf8: Buffer.from(decode(bytes).replaceAll("\0", "␀")),
    note: "NUL bytes are shown as ␀; patch does not change such a file.",
  };
}

/**
 * Returns whether the text is in an older encoding: mostly ASCII, without control characters, and without any valid
 * UTF-8 sequence beyond ASCII.
 */
function isLatin(bytes: Uint8Array): boolean {
  const text = decode(bytes);
  // A decoded character beyond ASCII is a valid sequence.
  // oxlint-disable-next-line no-control-regex -- text does not contain these control characters
  if (/[\0-\u0008\u000e-\u001a\u001c-\u001f\u007f]|[^\0-\u007f\ufffd]/u.test(text)) return false;
  return (text.match(/\ufffd/gu)?.length ?? 0) <= text.length / 2;
}

const maxConverted = 20_000_000;
