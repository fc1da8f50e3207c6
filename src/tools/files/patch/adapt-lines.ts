import { err, ok, type Result } from "../../../base/result.ts";
import { fold, type FoldKinds, indentOf } from "../edit/fold.ts";
import { replacementFor } from "../edit/replacement.ts";
import { driftedKinds } from "../edit/spelling.ts";
import { type SignKind, typedText } from "../typography.ts";
import type { LineIndex } from "./line-index.ts";
import type { HunkLine } from "./patch.ts";

/**
 * Returns the lines of a hunk for a position where the file differs in white space or typographic characters: added
 * lines get the file's spelling and indentation, as in an edit. Returns an error with the reason if that is ambiguous.
 */
export function adaptedLines(
  lines: readonly HunkLine[],
  start: number,
  index: LineIndex,
): Result<readonly HunkLine[], string> {
  const old = lines.filter(({ op }) => op !== "+");
  const region = index.texts.slice(start, start + old.length);
  const isSame = ({ op, text }: HunkLine, offset: number) => {
    const inFile = (region[offset] ?? "").trimEnd();
    return text.trimEnd() === inFile || (op === " " && ` ${text.trimEnd()}` === inFile);
  };
  if (old.every(isSame) || !lines.some(({ op }) => op === "+")) return ok(lines);
  const next = lines.filter(({ op }) => op !== "-");
  const edit = { old: joined(old), new: joined(next), replaceAll: false };
  const kinds = foldings.find((each) => fold(region.join("\n"), each).text === fold(edit.old, each).text);
  if (kinds === undefined) {
    const isClear = old.every((line, offset) => line.op === " " || isSame(line, offset));
    return isClear ? ok(lines) : err("its long dashes are typed in two ways");
  }
  const { text, offset } = index.whole(start);
  const match = { start: offset, end: offset + region.join("\n").length, wholeFirstLine: true };
  const written = replacementFor(text, match, edit, kinds);
  if (!written.ok) {
    const paired = pairedLines(lines, region);
    return paired ? ok(paired) : written;
  }
  const texts = written.value.split("\n");
  if (texts.length !== next.length) return err("its lines cannot be separated");
  let position = 0;
  return ok(
    lines.map((line) => {
      if (line.op === "-") return line;
      const adapted = texts[position++] ?? line.text;
      // A blank line has no indentation to adapt.
      const isBlank = kinds.whitespace && adapted.trim() === "";
      return line.op === "+" ? { ...line, text: isBlank ? "" : adapted } : line;
    }),
  );
}

/**
 * Returns the lines as they are if every added line replaces one removed line, and both are indented like that line of
 * the file, whatever the lines around them look like.
 */
function pairedLines(lines: readonly HunkLine[], region: readonly string[]): readonly HunkLine[] | undefined {
  const removed: string[] = [];
  let paired = 0;
  let last = "";
  let offset = 0;
  for (const { op, text } of lines) {
    if (op !== "+") {
      const isNext = op === "-" && last === "-";
      if (!isNext && removed.length > paired) return undefined;
      if (op === "-" && text.trimEnd() !== (region[offset] ?? "").trimEnd()) return undefined;
      if (op === "-") removed.push(text);
      offset++;
    } else {
      const pair = removed[paired++];
      if (pair === undefined || indentOf(pair) !== indentOf(text)) return undefined;
    }
    last = op;
  }
  return removed.length === paired ? lines : undefined;
}

const foldings: readonly FoldKinds[] = [
  { whitespace: false, punctuation: false },
  { whitespace: false, punctuation: true },
  { whitespace: true, punctuation: false },
  { whitespace: true, punctuation: true },
  { whitespace: false, punctuation: true, longDash: "-" },
  { whitespace: true, punctuation: true, longDash: "-" },
];

/**
 * Returns the added lines of a hunk whose own lines are exact, without the typographic characters that the rest of the
 * patch has where the file has plain ones.
 */
export function withPlainSigns(lines: readonly HunkLine[], kinds: ReadonlySet<SignKind>): readonly HunkLine[] {
  if (kinds.size === 0) return lines;
  return lines.map((line) => (line.op === "+" ? { ...line, text: typedText(line.text, kinds) } : line));
}

/**
 * Returns the kinds of typographic characters in the old lines of a hunk that are plain at its position in the file.
 */
export function driftedSigns(lines: readonly HunkLine[], start: number, { texts }: LineIndex): ReadonlySet<SignKind> {
  const old = lines.filter(({ op }) => op !== "+");
  const region = texts.slice(start, start + old.length).join("\n");
  return driftedKinds(region, joined(old), { whitespace: true, punctuation: true });
}

function joined(lines: readonly HunkLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}
