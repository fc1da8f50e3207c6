import { ok, type Result } from "../../base/result.ts";
import { unifiedDiff } from "../../base/text/unified-diff.ts";
import type { FileReads, FileVersion } from "../../contracts/host/ports.ts";
import { fail, type ToolFailure } from "../../contracts/tool/tool-result.ts";
import { classifyContent, decode } from "./file-content.ts";
import type { FileOnDisk } from "./file-on-disk.ts";
import { hiddenKey, maskedLine } from "./masked-line.ts";
import { checkSyntax } from "./syntax/syntax-check.ts";

/**
 * Refuses to change a file that differs from the version that this session saw, and shows the changes since.
 * `replaced`: the change keeps nothing of the current content, so the session must have seen all of it, or the file
 * must be older than the session.
 */
export function staleRefusal(
  file: FileOnDisk,
  reads: FileReads,
  change: "edited" | "replaced",
): ToolFailure | undefined {
  const seen = reads.seen(file.path);
  if (file.kind === "missing") return seen && !seen.earlier ? removedRefusal(file.path, seen, reads) : undefined;
  if (!seen) {
    const isOthers = reads.since !== undefined && file.changedAt > reads.since && file.bytes.length > 0;
    return change === "replaced" && isOthers
      ? refusalOf(`${file.path} changed since this session began, and you have not read it`, file, "")
      : undefined;
  }
  if (seen.earlier?.includes(file.hash)) return undefined;
  if (file.hash !== seen.hash) return refusalOf(`${file.path} changed since you last saw it`, file, seen.text);
  if (change === "edited" || !seen.older) return undefined;
  return refusalOf(`${file.path} changed, and you have read only a part of it since`, file, seen.older.text);
}

function refusalOf(
  reason: string,
  { bytes }: Extract<FileOnDisk, { kind: "file" }>,
  text: string | undefined,
): ToolFailure {
  const isText = text !== undefined && classifyContent(bytes).kind === "text";
  const old = text === "" ? "unread" : "as you saw it";
  const diff = isText ? unifiedDiff({ name: old, text }, { name: "as it is now", text: decode(bytes) }, 4000) : "";
  return fail(
    `${reason}. Nothing was written, so that nothing is lost. Read it again, then make your change.${diff && `\n${diff}`}`,
    "failed",
    diff ? { data: { diff } } : {},
  ).error;
}

/** Refuses only once: the next attempt creates the file again. */
function removedRefusal(path: string, { text }: FileVersion, reads: FileReads): ToolFailure {
  reads.forget(path);
  const diff =
    text === undefined ? "" : unifiedDiff({ name: "as you saw it", text }, { name: "/dev/null", text: "" }, 2000);
  return fail(
    `${path} was deleted or moved since you last saw it. Nothing was written. If it must exist again, repeat the call.` +
      (diff && `\n${diff}`),
    "failed",
    diff ? { data: { diff } } : {},
  ).error;
}

/**
 * Rejects a new text that is read_file output, would lose a masked secret, or is JSON, YAML or TOML that no longer
 * parses. A note describes problems of a text that may still be written.
 */
export async function judgeContent(
  path: string,
  before: string | undefined,
  after: string,
): Promise<Result<{ readonly note?: string }, ToolFailure>> {
  if (isDisplayText(after) && !isDisplayText(before ?? "")) {
    return fail(
      `The new ${path} has the line numbers that read_file shows (N|text), which are not part of a file. ` +
        "Nothing was written. Send the text without them. A file that is to have them is written in the terminal.",
      "invalid_args",
    );
  }
  const masked = maskedLine(before ?? "", after);
  if (masked) {
    return fail(
      `Line ${masked.line} of the new ${path} has *** where the file has a value that was hidden from you. ` +
        "Nothing was written: the value would be lost. Use patch on other lines, and leave that one as it is.",
    );
  }
  const key = hiddenKey(before ?? "", after);
  if (key !== undefined) {
    return fail(
      `The new ${path} contains ${key}, the masked form of a key, not the key itself. Nothing was written. ` +
        "Let a command copy the key from its source, or ask the user to add it.",
    );
  }
  const verdict = await checkSyntax(path, before, after);
  if (verdict.kind !== "broken") return ok(verdict.kind === "odd" ? { note: `${path}: ${verdict.note}` } : {});
  const { format, why, place } = verdict;
  return fail(
    `The new ${path} would not be ${format}: line ${place.line}, column ${place.column}: ${why}. Nothing was written.\n` +
      place.shown,
    "failed",
    { data: { format, line: place.line, column: place.column } },
  );
}

/** Returns whether this is read_file output, with line numbers, and not the content of a file. */
export function isDisplayText(content: string): boolean {
  // A check of the beginning excludes most texts quickly.
  if (!/^\s*\d+\|/mu.test(content.slice(0, 4000))) return false;
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  let numbered = 0;
  let expected: number | undefined;
  for (const line of lines) {
    const number = /^\s*(\d+)\|/u.exec(line)?.[1];
    if (number === undefined) continue;
    if (expected === undefined || Number(number) === expected) numbered++;
    expected = Number(number) + 1;
  }
  // A table with `|` between its columns may also number its rows.
  const columns = new Set(lines.map((line) => line.split("|").length));
  const isTable = columns.size === 1 && (numbered < lines.length || !columns.has(2));
  return !isTable && numbered >= 2 && numbered >= lines.length * 0.8;
}
