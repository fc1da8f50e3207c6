import { err, ok, type Result } from "../../../base/result.ts";
import { occurrences } from "../edit/occurrences.ts";
import { replaceText } from "../edit/replace-text.ts";
import type { PatchSection } from "./patch.ts";

/**
 * Returns the text after a SEARCH/REPLACE block. Whole lines are preferred, and of several equal ones the one at the line
 * that the block states. Otherwise the block bridges the same differences as an edit. An error says why there is no result.
 */
export function replaceBlock(
  text: string,
  block: Extract<PatchSection, { kind: "replace" }>,
): Result<{ readonly text: string; readonly drift: readonly string[] }, string> {
  const starts = [...occurrences(text, block.old)].filter((start) => start === 0 || text[start - 1] === "\n");
  const lineAt = (start: number) => text.slice(0, start).split("\n").length;
  const stated = starts.length > 1 ? starts.filter((start) => lineAt(start) === block.statedLine) : starts;
  const [start] = stated;
  if (start !== undefined && stated.length === 1)
    return ok({ text: text.slice(0, start) + block.new + text.slice(start + block.old.length), drift: [] });
  const edited = replaceText(text, { old: block.old, new: block.new, replaceAll: false });
  if (edited.outcome === "applied") return ok({ text: edited.result, drift: edited.drift });
  if (edited.outcome === "ambiguous") {
    const lines = edited.places.map(({ line }) => line).join(", ");
    return err(`the lines to search for are at several places: lines ${lines} of the file. Add lines around them`);
  }
  const nearest =
    edited.nearest?.lines.map((line, index) => `\n  ${(edited.nearest?.line ?? 1) + index}| ${line}`) ?? [];
  const reason = edited.reason.replaceAll("old_string", "the SEARCH part").replaceAll("new_string", "the REPLACE part");
  return err(reason.replace(/\.$/u, "") + (nearest.length > 0 ? `. Nearest:${nearest.slice(0, 8).join("")}` : ""));
}
