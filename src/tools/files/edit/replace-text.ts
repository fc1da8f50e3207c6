import { oneLine } from "../../../base/text/text.ts";
import { hasTypography } from "../typography.ts";
import { withBlankLinesOf } from "./blank-lines.ts";
import { alignedToCut } from "./cut-indent.ts";
import { driftedMatches, type Match, splitsNoToken } from "./drifted-matches.ts";
import { addedOmission, editsAroundElisions, omittedCode } from "./elided.ts";
import { type FoldKinds, indentOf, isBlank } from "./fold.ts";
import { withLineEndsOf, linesOf } from "./line-ends.ts";
import { nearestRegion } from "./nearest-region.ts";
import { occurrences } from "./occurrences.ts";
import type { TextDrift, EditOutcome, TextEdit, EditPlace } from "./outcome.ts";
import { unwrappedReadings } from "./over-escaped.ts";
import { replacementFor } from "./replacement.ts";

/**
 * Replaces `old` by `new`. An exact match is preferred. Otherwise a text that differs only in line ends, typographic
 * punctuation or white space matches if it is unique. Unchanged parts stay as in the file, and new lines get the file's
 * line ends and indentation. Never guesses. Never throws.
 */
export function replaceText(original: string, edit: TextEdit): EditOutcome {
  if (edit.old === "")
    return { outcome: "not_found", reason: "old_string is empty. Give the text that is to be replaced." };
  const omission = addedOmission(original, edit);
  if (omission !== undefined) return { outcome: "not_found", reason: `${omittedCode("new_string", omission)}.` };
  const outcome = exactly(original, edit) ?? drifted(original, edit);
  if (outcome.outcome !== "not_found" || outcome.isUnfit) return outcome;
  return unescaped(original, edit) ?? elided(original, edit) ?? spaced(original, edit) ?? outcome;
}

/** Applies an edit whose `old` has another number of blank lines between its lines than the only place that fits. */
function spaced(original: string, edit: TextEdit): EditOutcome | undefined {
  const reading = withBlankLinesOf(original, edit);
  if (!reading) return undefined;
  const outcome = exactly(original, reading) ?? drifted(original, reading);
  if (outcome.outcome !== "applied") return undefined;
  return { ...outcome, drift: ["blank lines", ...outcome.drift] };
}

/** Applies an edit that leaves out the same parts in both texts, if each of its pieces has one place, in this order. */
function elided(original: string, edit: TextEdit): EditOutcome | undefined {
  const pieces = editsAroundElisions(original, edit);
  if (!pieces) return undefined;
  let result = original;
  const drift = new Set<TextDrift>(["omitted parts"]);
  const places: EditPlace[] = [];
  // From the last piece to the first, so that the line numbers of the others stay valid.
  for (const piece of pieces.toReversed()) {
    const outcome = exactly(result, piece) ?? drifted(result, piece);
    const place = outcome.outcome === "applied" ? outcome.places[0] : undefined;
    if (outcome.outcome !== "applied" || !place || place.lastLine >= (places[0]?.line ?? Infinity)) return undefined;
    result = outcome.result;
    for (const kind of outcome.drift) drift.add(kind);
    places.unshift(place);
  }
  return { outcome: "applied", result, drift: [...drift], count: places.length, places: places.slice(0, maxPlaces) };
}

/** Applies an edit whose `old` is escaped more often than the file, if exactly one way to read it fits. */
function unescaped(original: string, edit: TextEdit): EditOutcome | undefined {
  const outcomes: EditOutcome[] = [];
  for (const { old, edit: reading } of unwrappedReadings(edit)) {
    const outcome = reading ? (exactly(original, reading) ?? drifted(original, reading)) : undefined;
    if (outcome === undefined && original.includes(old)) return undefined;
    if (outcome && outcome.outcome !== "not_found") outcomes.push(outcome);
  }
  const [first, ...others] = outcomes;
  if (first?.outcome !== "applied") return first;
  const isOne = others.every((other) => other.outcome === "applied" && other.result === first.result);
  return isOne ? { ...first, drift: ["escapes or line numbers", ...first.drift] } : undefined;
}

function exactly(original: string, edit: TextEdit): EditOutcome | undefined {
  const { old } = edit;
  const [first, second] = take(exactMatches(original, old), 2);
  if (first === undefined) return undefined;
  if (second !== undefined && !edit.replaceAll)
    return ambiguous(original, [], take(exactMatches(original, old), maxPlaces));
  const changes: Change[] = [];
  for (const match of exactMatches(original, old)) {
    const { start, end } = match;
    if (start < (changes.at(-1)?.end ?? 0)) continue;
    const indent = /(?:^|[\r\n])([ \t]+)$/.exec(original.slice(Math.max(0, start - maxIndent), start))?.[1] ?? "";
    const given = withLineEndsOf(original, start, end, edit.new);
    const aligned = alignedToCut({ text: original, start, end, indent }, old, given);
    if (!aligned.ok) return notFound(original, edit, { match, why: aligned.error });
    // The indentation of lines that are deleted must not move to the next line.
    const isLineDeletion = edit.new === "" && /[\r\n]$/.test(old) && !isBlank(old);
    changes.push({ start: isLineDeletion ? start - indent.length : start, end, text: aligned.value });
  }
  return applied(original, [], changes);
}

/** Returns exact matches of `old`, never between the two characters of a line end. */
function* exactMatches(text: string, old: string): Generator<Stretch, void> {
  const splits = (index: number) => text[index - 1] === "\r" && text[index] === "\n";
  const isText = old.trim() !== "";
  for (const start of occurrences(text, old)) {
    const end = start + old.length;
    if (!isText || !(splits(start) || splits(end))) yield { start, end };
  }
}

function drifted(original: string, edit: TextEdit): EditOutcome {
  const mark = original.startsWith(byteOrderMark) ? byteOrderMark : "";
  const text = original.slice(mark.length);
  const request = mark === "" ? edit : withoutMark(edit);
  const max = request.replaceAll ? Infinity : maxPlaces;
  const search = (kinds: FoldKinds): Match[] => driftedMatches(text, request.old, kinds, max);
  const settled = (
    drift: readonly TextDrift[],
    kinds: FoldKinds,
    matches: readonly Match[],
    meant = request,
  ): EditOutcome => {
    if (matches.length > 1 && !(request.replaceAll && areAlike(text, matches))) return ambiguous(text, drift, matches);
    const changes: Change[] = [];
    for (const match of matches) {
      if (match.start < (changes.at(-1)?.end ?? 0)) continue;
      const replacement = replacementFor(text, match, meant, kinds);
      if (!replacement.ok) return notFound(text, request, { match, why: replacement.error });
      changes.push({ start: match.start, end: match.end, text: replacement.value });
    }
    const outcome = applied(text, drift, changes);
    return { ...outcome, result: mark + outcome.result };
  };

  const byLineEnds = search(lineEndsOnly);
  if (byLineEnds.length > 0) return settled(["line ends"], lineEndsOnly, byLineEnds);
  const unended = lastLines(text, request);
  if (unended) return settled(["line ends"], lineEndsOnly, unended.matches, unended.edit);

  const bare = withoutBorder(request);
  const byBorder = bare ? wholeLines(text, driftedMatches(text, bare.old, both, max), request.old) : [];
  if (bare && hasBlankBorder(request) && byBorder.length > 0 && byBorder.every((match) => isBetweenText(text, match)))
    return settled(["white space"], both, byBorder, bare);

  const typography = hasTypography(text) || hasTypography(request.old);
  const byPunctuation = typography ? search(punctuation) : [];
  const byWhitespace = search(whitespace);
  const elsewhere = byWhitespace.filter((match) => !byPunctuation.some((other) => overlap(match, other)));
  if (byPunctuation.length > 0) {
    if (elsewhere.length > 0) return ambiguous(text, ["punctuation", "white space"], [...byPunctuation, ...elsewhere]);
    return settled(["punctuation"], punctuation, byPunctuation);
  }
  if (byWhitespace.length > 0) return settled(["white space"], whitespace, byWhitespace);
  const byBoth = typography ? search(both) : [];
  if (byBoth.length > 0) return settled(["punctuation", "white space"], both, byBoth);
  for (const kinds of typography ? shortDashes : []) {
    const matches = search(kinds);
    if (matches.length > 0) return settled(["punctuation"], kinds, matches);
  }
  if (bare && byBorder.length > 0) return settled(["white space"], both, byBorder, bare);
  const tight = withoutPadding(request);
  if (tight) {
    const matches = driftedMatches(text, tight.old, lineEndsOnly, max).filter(
      ({ start, end }) => splitsNoToken(text, start) && splitsNoToken(text, end),
    );
    if (matches.length > 0) return settled(["white space"], lineEndsOnly, matches, tight);
  }
  return notFound(text, request);
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

interface Change extends Stretch {
  readonly text: string;
}

function applied(original: string, drift: readonly TextDrift[], changes: Iterable<Change>) {
  const parts: string[] = [];
  const shown: Change[] = [];
  let done = 0;
  let count = 0;
  for (const change of changes) {
    parts.push(original.slice(done, change.start), change.text);
    done = change.end;
    if (++count <= maxPlaces) shown.push(change);
  }
  const result = parts.join("") + original.slice(done);
  return { outcome: "applied", result, drift, count, places: placesOf(original, shown) } as const;
}

function ambiguous(text: string, drift: readonly TextDrift[], result: readonly Stretch[]): EditOutcome {
  const inOrder = result.toSorted((a, b) => a.start - b.start);
  return { outcome: "ambiguous", drift, count: inOrder.length, places: placesOf(text, inOrder.slice(0, maxPlaces)) };
}

/** Returns whether all matches differ from `old` in the same way: they are equal except for depth and line ends. */
function areAlike(text: string, matches: readonly Match[]): boolean {
  const [first, ...others] = matches.map(({ start, end }) => {
    const lines = linesOf(text.slice(start, end));
    const indent = indentOf(lines[0] ?? "");
    return lines.map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line)).join("\n");
  });
  return others.every((other) => other === first);
}

function overlap(a: Match, b: Match): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Returns the edit without surrounding blank lines and line ends, if old and new have the same ones. */
function withoutBorder({ old, new: expected, replaceAll }: TextEdit): TextEdit | undefined {
  const { head, tail } = borderOf(old);
  const other = borderOf(expected);
  // `new` may lack the blank lines: the file does not have them either.
  const isTail = tail === other.tail || (other.tail === "" && /\n[ \t]/.test(tail));
  const isSame = (head === other.head || other.head === "") && isTail;
  if (head + tail === "" || !isSame || expected.trim() === "") return undefined;
  const bare = (text: string, before: string, after: string) => text.slice(before.length, text.length - after.length);
  return { old: bare(old, head, tail), new: bare(expected, other.head, other.tail), replaceAll };
}

/** Whether `old` begins or ends with a line of blanks, unlike `new`. */
function hasBlankBorder({ old, new: expected }: TextEdit): boolean {
  const [mine, other] = [borderOf(old), borderOf(expected)];
  return (mine.head !== other.head || mine.tail !== other.tail) && /[ \t]/.test(mine.head + mine.tail);
}

/** Whether the lines before and after a match have text. */
function isBetweenText(text: string, { start, end }: Match): boolean {
  return (
    !/\n[ \t]*\r?\n[ \t]*$/.test(text.slice(Math.max(0, start - maxIndent), start)) &&
    !/^[ \t]*\r?\n[ \t]*\r?\n/.test(text.slice(end, end + maxIndent))
  );
}

/** Returns an edit within a line without the blanks around `old`, if `new` has the same ones or none. */
function withoutPadding({ old, new: expected, replaceAll }: TextEdit): TextEdit | undefined {
  const core = old.trim();
  if (core === old || core === "" || /[\r\n]/.test(old) || expected.trim() === "") return undefined;
  const isSame = (ownBlanks: string, blanks: string) => blanks === "" || blanks === ownBlanks;
  const starts = (text: string) => text.slice(0, text.length - text.trimStart().length);
  const ends = (text: string) => text.slice(text.trimEnd().length);
  if (!isSame(starts(old), starts(expected)) || !isSame(ends(old), ends(expected))) return undefined;
  return { old: core, new: expected.trim(), replaceAll };
}

/** Returns matches at the end of a file without a final line end, if `old` and `new` have one. */
function lastLines(text: string, { old, new: expected, replaceAll }: TextEdit) {
  const end = /\r?\n$/;
  if (/[\r\n]$/.test(text) || !end.test(old) || !end.test(expected)) return undefined;
  const edit = { old: old.replace(end, ""), new: expected.replace(end, ""), replaceAll };
  const matches = driftedMatches(text, edit.old, lineEndsOnly, Infinity).filter(
    ({ start, end: until }) => until === text.length && (start === 0 || text[start - 1] === "\n"),
  );
  return matches.length > 0 && edit.new !== "" ? { edit, matches } : undefined;
}

/** The blank lines before a text, and the line ends after it. */
function borderOf(text: string): { readonly head: string; readonly tail: string } {
  const before = text.slice(0, text.length - text.trimStart().length);
  const after = text.slice(text.trimEnd().length);
  return { head: before.slice(0, before.lastIndexOf("\n") + 1), tail: /\r?\n[^]*$/.exec(after)?.[0] ?? "" };
}

/** Returns matches that are whole lines, if `old` is surrounded by line ends. */
function wholeLines(text: string, matches: readonly Match[], old: string): Match[] {
  return matches.filter(
    ({ end, wholeFirstLine }) =>
      (wholeFirstLine || !/^\s*\n/.test(old)) && (/[\r\n]/.test(text[end] ?? "\n") || !/\n\s*$/.test(old)),
  );
}

function withoutMark(edit: TextEdit): TextEdit {
  if (!edit.old.startsWith(byteOrderMark) || !edit.new.startsWith(byteOrderMark)) return edit;
  return { ...edit, old: edit.old.slice(1), new: edit.new.slice(1) };
}

function take<T>(values: Iterable<T>, max: number): T[] {
  const selected: T[] = [];
  for (const value of values) {
    selected.push(value);
    if (selected.length >= max) break;
  }
  return selected;
}

const byteOrderMark = "\uFEFF";
const maxPlaces = 10;
const maxIndent = 1_000;
const lineEndsOnly: FoldKinds = { whitespace: false, punctuation: false };
const punctuation: FoldKinds = { whitespace: false, punctuation: true };
const whitespace: FoldKinds = { whitespace: true, punctuation: false };
const both: FoldKinds = { whitespace: true, punctuation: true };
/** An em dash is more often typed as two hyphens than as one, so that one hyphen is the last reading. */
const shortDashes: readonly FoldKinds[] = [
  { ...punctuation, longDash: "-" },
  { ...both, longDash: "-" },
];

/** A possible match, and the reason why it was not used. */
interface Unfit {
  readonly match: Stretch;
  readonly why: string;
}

/** Returns the error for an edit without a match: the reason, and the most similar part of the file. */
function notFound(text: string, edit: TextEdit, unfit?: Unfit): EditOutcome {
  const nearest = nearestRegion(text, edit.old);
  const reason = unfit ? unfitReason(text, unfit) : reasonFor(text, edit);
  return { outcome: "not_found", reason, ...(nearest && { nearest }), ...(unfit && { isUnfit: true }) };
}

function unfitReason(text: string, { match, why }: Unfit): string {
  const [place] = placesOf(text, [match]);
  return `Line ${place?.line} equals old_string except for white space or punctuation, but ${why}. Copy the lines as they are in the file, with their indentation.`;
}

function reasonFor(text: string, { old, new: expected }: TextEdit): string {
  if (old.trim() === "") return "old_string is only white space, and not in the file as given. Give lines with text.";
  const lines = linesOf(old).filter((line) => line.trim() !== "");
  if (lines.every((line) => /^\s*\d+\|/.test(line)))
    return "old_string begins its lines with line numbers, which are not in the file. Leave them out of old_string and new_string.";
  if (unwrappedReadings({ old, new: "", replaceAll: false }).some((reading) => text.includes(reading.old)))
    return "old_string has escape sequences (a backslash and a letter or quote) where the file has the character itself. Send the character.";
  if (expected.trim().length >= 8 && text.includes(expected))
    return "old_string is not in the file, but new_string already is. Perhaps the edit was made before.";
  return "old_string is not in the file. Read the lines again and copy them exactly.";
}

/** Returns the line numbers of ranges in a text. The ranges must be in order. */
function placesOf(text: string, stretches: Iterable<Stretch>): EditPlace[] {
  const lineEnd = text.includes("\n") ? "\n" : "\r";
  const places: EditPlace[] = [];
  let line = 1;
  let counted = 0;
  for (const { start, end } of stretches) {
    line += count(text.slice(counted, start), lineEnd);
    counted = start;
    const first = text.lastIndexOf(lineEnd, start - 1) + 1;
    // If a range ends with a line end, its last line is the line before it.
    const lines = count(text.slice(start, Math.max(start, end - 1)), lineEnd);
    places.push({ line, lastLine: line + lines, text: shown(text, start === 0 ? 0 : first) });
  }
  return places;
}

function count(text: string, lineEnd: string): number {
  let lines = 0;
  for (let index = text.indexOf(lineEnd); index >= 0; index = text.indexOf(lineEnd, index + 1)) lines++;
  return lines;
}

function shown(text: string, lineStart: number): string {
  const line = /^[^\r\n]*/.exec(text.slice(lineStart, lineStart + 2 * maxChars))?.[0] ?? "";
  return oneLine(line, maxChars);
}

const maxChars = 160;
