import { basename } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import type { ConvertFile } from "./convert-file.ts";

/** Renders one page of a PDF as a PNG whose longer side has about `maxSide` pixels. */
export async function pdfPage(
  bytes: Uint8Array,
  { name, page, maxSide }: { readonly name: string; readonly page: number; readonly maxSide: number },
  convert: ConvertFile,
  signal: AbortSignal,
): Promise<Result<Uint8Array>> {
  const converted = await convert(
    {
      programs: ["pdftoppm", "mutool"],
      args: (program, { input, output }) =>
        basename(program) === "mutool"
          ? ["draw", "-o", `${output}/page.png`, "-w", `${maxSide}`, "-h", `${maxSide}`, input, `${page}`]
          : ["-png", "-scale-to", `${maxSide}`, "-f", `${page}`, "-l", `${page}`, input, `${output}/page`],
      input: bytes,
      timeoutMs: 60_000,
      maxOutputBytes: 200_000_000,
    },
    signal,
  );
  if (!converted.ok) {
    const { kind, message } = converted.error;
    const advice = "Install pdftoppm (Debian: poppler-utils; macOS: brew install poppler) or mutool (mupdf-tools)";
    return err({
      message:
        kind === "missing"
          ? `Pages of a PDF cannot be shown: no program for it is installed. ${advice}; its text is read with read_file.`
          : `Page ${page} of ${name} cannot be shown: ${pageReason(message)}`,
    });
  }
  const [image] = converted.value.files;
  if (image) return ok(image.bytes);
  return err({ message: `Page ${page} of ${name} cannot be shown: ${pageReason(converted.value.stderr)}` });
}

function pageReason(words: string): string {
  const last = /last page \((\d+)\)/u.exec(words)?.[1];
  if (last !== undefined) return `it has ${last} page${last === "1" ? "" : "s"}.`;
  if (/password|encrypt/iu.test(words)) return "it is protected by a password.";
  const line = words.trim().split("\n", 1)[0]?.replace(/\.$/u, "");
  return line ? `${line}.` : "there is no such page.";
}
