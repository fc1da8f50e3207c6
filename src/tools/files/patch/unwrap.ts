import { err, ok, type Result } from "../../../base/result.ts";

/** One line of the patch text, without its line end. */
export interface PatchLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  readonly endsInCr: boolean;
}

export interface PatchFault {
  readonly line: number;
  readonly message: string;
}

/**
 * The lines between `*** Begin Patch` and `*** End Patch`. Blank lines around them, a code fence and a shell heredoc are
 * taken off; any other text outside is a fault.
 */
export function unwrapPatch(text: string): Result<readonly PatchLine[], PatchFault> {
  const lines = linesOf(text);
  let first = lines.findIndex(({ text: line }) => line.trim() !== "");
  let last = lines.findLastIndex(({ text: line }) => line.trim() !== "");
  for (;;) {
    const [opening, closing] = [lines[first], lines[last]];
    if (opening === undefined || closing === undefined || first >= last) break;
    if (!wraps(opening.text.trim(), closing.text.trim())) break;
    first = skipBlank(lines, first + 1, 1);
    last = skipBlank(lines, last - 1, -1);
  }
  const opening = lines[first];
  if (opening?.text.trim() !== beginPatch) return err({ line: opening?.number ?? 1, message: noBegin(opening?.text) });
  const closing = lines[last];
  if (closing?.text.trim() === endPatch) return ok(lines.slice(first + 1, last));
  const early = lines.find((line, index) => index > first && index < last && line.text.trimEnd() === endPatch);
  return err(
    early === undefined
      ? { line: closing?.number ?? 1, message: `the last line must be "${endPatch}"; the patch seems to be cut off` }
      : textAfterEnd(lines[skipBlank(lines, early.number, 1)]?.number ?? early.number),
  );
}

export function textAfterEnd(line: number): PatchFault {
  return { line, message: `nothing may follow "${endPatch}"; send one patch at a time` };
}

const beginPatch = "*** Begin Patch";
export const endPatch = "*** End Patch";

function linesOf(text: string): PatchLine[] {
  return text
    .replace(/^\uFEFF/u, "")
    .split("\n")
    .map((line, index) => {
      const endsInCr = line.endsWith("\r");
      return { text: endsInCr ? line.slice(0, -1) : line, number: index + 1, endsInCr };
    });
}

function wraps(opening: string, closing: string): boolean {
  const fence = /^(`{3,}|~{3,})[\w+-]*$/u.exec(opening)?.[1];
  if (fence !== undefined) return closing === fence;
  return closing !== "" && /^(?:apply_?patch\s+)?<<-?\s*(["']?)(\w+)\1$/u.exec(opening)?.[2] === closing;
}

function skipBlank(lines: readonly PatchLine[], from: number, step: 1 | -1): number {
  let index = from;
  while (lines[index]?.text.trim() === "") index += step;
  return index;
}

function noBegin(match: string | undefined): string {
  const rule = `the first line must be "${beginPatch}"`;
  if (match === undefined) return `the patch is empty; ${rule}`;
  if (/^(?:diff |--- |Index: |@@ -\d)/u.test(match))
    return `${rule}. This is a unified diff; write it in the V4A format: "*** Update File: PATH", "@@", then lines with " ", "-" or "+" before them`;
  return rule;
}
