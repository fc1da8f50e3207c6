import { ok, type Result } from "../../base/result.ts";
import type { FileSystem } from "../../contracts/environment/environment.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool.ts";
import { fileFailure } from "./file-at.ts";
import { contentOf, type FileContent } from "./file-content.ts";
import type { FileToRead } from "./file-to-read.ts";
import { createLineWindow, type LineLimits, type NumberedLines } from "./numbered-lines.ts";

/** Lines of a file that is too big to be read whole, piece by piece until they are found. */
export async function linesOfBigFile(
  { path, bytes }: FileToRead,
  window: { readonly offset: number; readonly limit: number },
  limits: LineLimits,
  files: FileSystem,
  signal: AbortSignal,
): Promise<Result<{ readonly content: FileContent; readonly lines: NumberedLines }, ToolFailure>> {
  const head = await files.read(path, signal, { from: 0, bytes: headBytes });
  if (!head.ok) return fileFailure(head.error);
  const content = contentOf(head.value);
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
