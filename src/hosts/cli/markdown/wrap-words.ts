import { once } from "../../../base/async/once.ts";
import { textWidth } from "../../../base/text/text-width.ts";

/**
 * Lines of at most that width, broken between words, also where a script writes without blanks. Only a word that is
 * longer than a line exceeds it. Later lines begin with `hang`. Colours have no width.
 */
export function wrapWords(text: string, width: number, hang = ""): readonly string[] {
  const lines: string[] = [];
  const hangWidth = textWidth(hang);
  const limit = Math.max(hangWidth + 8, width);
  const indent = /^ */u.exec(text)?.[0] ?? "";
  let line = indent;
  let used = indent.length;
  let blanks = "";
  let isEmpty = true;
  for (const piece of text.slice(indent.length).match(pieces()) ?? []) {
    if (piece.startsWith(" ")) {
      blanks += piece;
      continue;
    }
    const pieceWidth = textWidth(piece);
    if (!isEmpty && used + blanks.length + pieceWidth > limit) {
      lines.push(line);
      [line, used] = [hang, hangWidth];
    } else if (!isEmpty || blanks !== "") {
      line += blanks;
      used += blanks.length;
    }
    line += piece;
    used += pieceWidth;
    blanks = "";
    isEmpty = false;
  }
  return [...lines, line];
}

/** Blanks, a character of a script without blanks, or a word with its colours. */
const pieces = once(
  () =>
    // oxlint-disable-next-line no-control-regex -- colours belong to the word beside them
    / +|(?:\u001b\[[0-9;]*m)*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}][\p{Mn}\u3001\u3002\uff0c\uff01\uff1f]*(?:\u001b\[[0-9;]*m)*|[^ \p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu,
);

/** The width of the longest word. */
export function longestWordWidth(text: string): number {
  return Math.max(0, ...(text.match(pieces()) ?? []).map((piece) => (piece.startsWith(" ") ? 0 : textWidth(piece))));
}

/** Filled with blanks to a width. */
export function padTo(text: string, width: number, align: "left" | "right" | "center" = "left"): string {
  const room = Math.max(0, width - textWidth(text));
  const before = align === "right" ? room : align === "center" ? Math.floor(room / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(room - before);
}
