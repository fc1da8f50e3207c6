import { err, ok, type Result } from "../../../base/result.ts";
import { addedOmission, omittedCode } from "../edit/elided.ts";
import { occurrences } from "../edit/occurrences.ts";
import { replaceText } from "../edit/replace-text.ts";
import type { PatchSection } from "./patch.ts";

/**
 * Returns the text after a SEARCH/REPLACE block. Whole lines are preferred, and of several equal ones the one at the line
 * that the block states. Otherwise the block bridges the same differences as an edit, and blank lines around both parts
 * that the file does not have. An error says why there is no result.
 */
export function replaceBlock(
  text: string,
  block: Extract<PatchSection, { kind: "replace" }>,
): Result<{ readonly text: string; readonly drift: readonly string[] }, string> {
  const omission = addedOmission(text, block);
  if (omission !== undefined) return err(omittedCode("the REPLACE part", omission));
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  const bare = { ...block, old: withoutBlankEdges(block.old), new: withoutBlankEdges(block.new) };
  const exact = wholeLines(whole, block) ?? wholeLines(whole, bare);
  if (exact !== undefined) {
    // A last line without a line end stays so, unless it is deleted.
    const isKept = whole !== text && !(exact.isAtEnd && block.new === "");
    return ok({ text: isKept ? exact.text.slice(0, -1) : exact.text, drift: [] });
  }
  const edited = replaceText(whole, { old: bare.old, new: bare.new, replaceAll: false });
  if (edited.outcome === "applied" && (edited.drift.length > 0 || startsLine(whole, bare.old)))
    return ok({ text: whole === text ? edited.result : edited.result.replace(/\n$/u, ""), drift: edited.drift });
  if (edited.outcome === "applied") return err("the SEARCH part is only a part of a line. Send whole lines");
  if (edited.outcome === "ambiguous") {
    const lines = edited.places.map(({ line }) => line).join(", ");
    return err(`the lines to search for are at several places: lines ${lines} of the file. Add lines around them`);
  }
  const { nearest } = edited;
  const shown = nearest?.lines.slice(0, 8).map((line, index) => `\n  ${nearest.line + index}| ${line}`) ?? [];
  const reason = edited.reason.replaceAll("old_string", "the SEARCH part").replaceAll("new_string", "the REPLACE part");
  return err(reason.replace(/\.$/u, "") + (shown.length > 0 ? `. Nearest:${shown.join("")}` : ""));
}

function wholeLines(text: string, { old, new: replacement, statedLine }: Extract<PatchSection, { kind: "replace" }>) {
  const starts = [...occurrences(text, old)].filter((start) => start === 0 || text[start - 1] === "\n");
  const lineAt = (start: number) => text.slice(0, start).split("\n").length;
  const [start, ...others] = starts.length > 1 ? starts.filter((each) => lineAt(each) === statedLine) : starts;
  if (start === undefined || others.length > 0) return undefined;
  const end = start + old.length;
  return { text: text.slice(0, start) + replacement + text.slice(end), isAtEnd: end === text.length };
}

/** Returns whether the only exact match of `old` begins a line, except for its indentation. */
function startsLine(text: string, old: string): boolean {
  const start = text.indexOf(old);
  return text.slice(text.lastIndexOf("\n", start - 1) + 1, start).trim() === "";
}

function withoutBlankEdges(lines: string): string {
  return lines.replace(/^(?:[ \t]*\n)+/u, "").replace(/\n(?:[ \t]*\n)+$/u, "\n");
}
