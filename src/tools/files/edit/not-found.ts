import { cut } from "../../../base/text/text.ts";
import { linesOf } from "./line-ends.ts";
import { nearestRegion } from "./nearest-region.ts";
import type { EditOutcome, TextEdit } from "./outcome.ts";
import { placesOf } from "./places.ts";

/** A place that would match, and why the edit was not made there. */
export interface Unfit {
  readonly match: { readonly start: number; readonly end: number };
  readonly why: string;
}

/** The answer when there is no place for the edit: what is the matter, and the part of the file that comes closest. */
export function notFound(text: string, edit: TextEdit, unfit?: Unfit): EditOutcome {
  const nearest = nearestRegion(text, edit.old);
  const reason = unfit ? unfitReason(text, unfit) : reasonFor(text, edit);
  return { outcome: "not_found", reason, ...(nearest && { nearest }) };
}

function unfitReason(text: string, { match, why }: Unfit): string {
  const [place] = placesOf(text, [match]);
  return `Line ${place?.line} is old_string but for white space or punctuation; yet ${why}. Copy the lines as they are in the file.`;
}

function reasonFor(text: string, { old, new: wanted }: TextEdit): string {
  if (old.trim() === "") return "old_string is only white space, and not in the file as given. Give lines with text.";
  const lines = linesOf(old).filter((line) => line.trim() !== "");
  if (lines.every((line) => /^\s*\d+\|/.test(line)))
    return "old_string begins its lines with line numbers, which are not in the file. Leave them out of old_string and new_string.";
  if (text.includes(unescaped(old)))
    return "old_string has escape sequences (a backslash and a letter or quote) where the file has the character itself. Send the character.";
  if (wanted.trim().length >= 8 && text.includes(wanted))
    return "old_string is not in the file, but new_string already is. Perhaps the edit was made before.";
  return "old_string is not in the file. Read the lines again and copy them exactly.";
}

function unescaped(text: string): string {
  const short = cut(text, 100_000);
  const plain = short.replace(/\\(["'`\\nrt])/g, (_, char: string) => escapes[char] ?? char);
  // Text without escapes explains nothing.
  return plain === short ? "\0" + short : plain;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };
