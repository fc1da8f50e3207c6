import { isUtf8 } from "node:buffer";

import { cut } from "../../base/text.ts";

/** What the bytes of a file are. `damaged`: text with bytes in it that are not UTF-8, shown as U+FFFD. */
export type FileContent =
  | { readonly kind: "text"; readonly damaged: boolean }
  | { readonly kind: "binary"; readonly description: string; readonly isImage: boolean };

/** Judges by the content alone, never by the name. */
export function contentOf(bytes: Uint8Array): FileContent {
  const known = signatures.find(({ magic, at = 0 }) => magic.every((byte, index) => bytes[at + index] === byte));
  if (known && (known.always || bytes.includes(0)))
    return { kind: "binary", description: known.name, isImage: known.name.endsWith("image") };
  if (bytes.includes(0)) return { kind: "binary", description: "binary data (it has NUL bytes)", isImage: false };
  if (isUtf8(bytes)) return { kind: "text", damaged: false };
  return mostlyText(bytes)
    ? { kind: "text", damaged: true }
    : { kind: "binary", description: "binary data (most of it is not UTF-8)", isImage: false };
}

/** The text of bytes, its byte order mark included. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function mostlyText(bytes: Uint8Array): boolean {
  const sample = cut(decode(bytes.subarray(0, sampleBytes)), sampleBytes);
  // Control characters that no text has, and bytes that could not be decoded.
  // oxlint-disable-next-line no-control-regex -- that is what is counted
  const odd = sample.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0;
  return odd / sample.length <= mostOdd;
}

interface Signature {
  readonly name: string;
  readonly magic: readonly number[];
  readonly at?: number;
  /** Binary also where there is no NUL in it. */
  readonly always?: boolean;
}

const signatures: readonly Signature[] = [
  { name: "a PNG image", magic: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a], always: true },
  { name: "a JPEG image", magic: [0xff, 0xd8, 0xff], always: true },
  { name: "a GIF image", magic: [0x47, 0x49, 0x46, 0x38] },
  { name: "a WebP image", magic: [0x57, 0x45, 0x42, 0x50], at: 8 },
  { name: "a BMP image", magic: [0x42, 0x4d] },
  { name: "a PDF document", magic: [0x25, 0x50, 0x44, 0x46, 0x2d], always: true },
  { name: "a ZIP archive (or a document, such as docx or xlsx, that is one)", magic: [0x50, 0x4b, 3, 4], always: true },
  { name: "gzip data", magic: [0x1f, 0x8b], always: true },
  { name: "an ELF program or library", magic: [0x7f, 0x45, 0x4c, 0x46], always: true },
  { name: "an SQLite database", magic: [...Buffer.from("SQLite format 3\0")], always: true },
  { name: "UTF-16 text; convert it first, such as: iconv -f UTF-16 -t UTF-8", magic: [0xff, 0xfe] },
  { name: "UTF-16 text; convert it first, such as: iconv -f UTF-16 -t UTF-8", magic: [0xfe, 0xff] },
];

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const sampleBytes = 65_536;
const mostOdd = 0.1;
