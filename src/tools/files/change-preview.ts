import { looksBinary } from "../../base/text/binary-text.ts";
import { cut, plural } from "../../base/text/text.ts";
import { unifiedDiff } from "../../base/text/unified-diff.ts";

/** Returns a diff for people; empty for a file that is not text. `before` is undefined for a new file. */
export function fileDiff(path: string, before: string | undefined, after: string): string {
  const old = before ?? "";
  if (looksBinary(old, old.length) || looksBinary(after, after.length)) return "";
  return unifiedDiff({ name: before === undefined ? "/dev/null" : path, text: old }, { name: path, text: after });
}

/**
 * Describes the change of a file to the person who approves it: a diff, or the size and the first lines of a new file.
 */
export function changePreview(path: string, before: string | undefined, after: string): string {
  const size = `${plural(after === "" ? 0 : after.trimEnd().split("\n").length, "line")}, ${plural(Buffer.byteLength(after), "byte")}`;
  if (before === undefined)
    return `new file: ${size}\n${cut(after, maxChars).replaceAll(/^/gmu, "+").replace(/\+$/u, "")}`;
  if (before === after) return `no change: ${size}`;
  const diff = fileDiff(path, before, after);
  return diff === "" ? `replaces the whole file: ${size}` : cut(diff, maxChars);
}

const maxChars = 4_000;
