import { isUtf8 } from "node:buffer";

import { cut } from "../../base/text/text.ts";
import { magicKind } from "./magic-bytes.ts";

/** The kind of a file's content. `damaged`: text that contains bytes that are not UTF-8, which are shown as U+FFFD. */
export type FileContent =
  | { readonly kind: "text"; readonly damaged: boolean }
  | { readonly kind: "binary"; readonly description: string; readonly isImage: boolean; readonly advice?: string };

/** Detects the kind from the bytes. Ignores the file name. */
export function classifyContent(bytes: Uint8Array): FileContent {
  const kind = magicKind(bytes);
  if (kind && (kind.always || bytes.includes(0))) {
    const { name, advice } = kind;
    return {
      kind: "binary",
      description: name,
      isImage: name.endsWith("image"),
      ...(advice !== undefined && { advice }),
    };
  }
  if (bytes.includes(0)) return { kind: "binary", description: "binary data (it has NUL bytes)", isImage: false };
  if (isUtf8(bytes)) return { kind: "text", damaged: false };
  return mostlyText(bytes)
    ? { kind: "text", damaged: true }
    : { kind: "binary", description: "binary data (most of it is not UTF-8)", isImage: false };
}

/** Keeps a byte order mark. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

function mostlyText(bytes: Uint8Array): boolean {
  const sample = cut(decode(bytes.subarray(0, sampleBytes)), sampleBytes);
  // Matches control characters that text does not contain, and bytes that could not be decoded.
  // oxlint-disable-next-line no-control-regex -- the pattern counts control characters
  const odd = sample.match(/[\u0001-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/gu)?.length ?? 0;
  return odd / sample.length <= maxOddChars;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const sampleBytes = 65_536;
const maxOddChars = 0.1;
