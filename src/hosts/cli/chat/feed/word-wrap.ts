import { once } from "../../../../base/async/once.ts";
import { plainText } from "../../../../base/text/ansi.ts";
import { textWidth } from "../../../../base/text/text-width.ts";

/**
 * Wraps the text of one answer between words while it streams, so that the terminal does not break words. Holds a word
 * until it ends; scripts without spaces are not held.
 */
export interface WordWrap {
  push(text: string): string;
  /** Called after a pause: returns the unfinished word that was held. Later characters continue this word. */
  rest(): string;
  /**
   * Called before other output: returns the held word. The next text starts a new line; an open code block stays open.
   */
  end(): string;
}

/** Does not wrap code, tables and words longer than a line; indents the continuation of a list item. */
export function createWordWrap(columns: () => number): WordWrap {
  let word = "";
  /** Spaces before the next word, unless it starts a line. */
  let blanks = "";
  let column = 0;
  let indent = 0;
  /** The end marker of the open code block. */
  let fence = "";
  let isList = false;
  /** True: the line so far contains only the start of a list item. */
  let isBeginning = true;
  let staysWhole = false;

  function takeWord(): string {
    const width = textWidth(word);
    const result = word;
    word = "";
    if (width === 0) return result;
    column += blanks.length;
    if (isBeginning) begin(result, width);
    const breaks = fence === "" && !staysWhole && blanks !== "" && column > indent && column + width > columns();
    const margin = Math.min(indent, Math.floor((columns() * 2) / 3));
    const before = breaks ? `\n${" ".repeat(margin)}` : blanks;
    if (breaks) [column, indent] = [margin, margin];
    column += width;
    // The word was already shown, so the terminal has wrapped it.
    if (column > columns() && unspaced().test(result)) column %= columns();
    blanks = "";
    return `${before}${result}`;
  }

  function begin(text: string, width: number): void {
    const plain = plainText(text);
    const mark = /^(?:`{3,}(?!.*`)|~{3,})/u.exec(plain)?.[0];
    const isFence = mark !== undefined && (fence === "" || (plain === mark && mark.startsWith(fence)));
    if (isFence) fence = fence === "" ? mark : "";
    const isItem = /^(?:[•*+>│-]|\d{1,3}[.)])$/u.test(plain);
    if (isItem || column === 0) isList = isItem;
    const isCode = !isList && (column >= 4 || plain.startsWith("\t"));
    staysWhole = isFence || isCode || plain.startsWith("|");
    indent = column + (isItem ? width + 1 : 0);
    if (!isItem) isBeginning = false;
  }

  function startLine(): string {
    [column, indent, isBeginning, staysWhole, blanks] = [0, 0, true, false, ""];
    return "\n";
  }

  return {
    push(text) {
      let out = "";
      for (const piece of text.match(pieces) ?? []) {
        if (piece === "\n") out += takeWord() + startLine();
        else if (piece !== " ") word += piece;
        else {
          out += takeWord();
          blanks += " ";
        }
        if (word.length > maxWordChars) out += takeWord();
      }
      return unspaced().test(word) ? out + takeWord() : out;
    },
    // Text that may become a fence is held until it is complete.
    rest: () => (isBeginning && /^[`~]+$/u.test(word) ? "" : takeWord()),
    end() {
      const rest = takeWord();
      startLine();
      return rest;
    },
  };
}

const maxWordChars = 400;
/** Matches text that ends with a letter of a script without spaces. */
const unspaced = once(
  () =>
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff01-\uff60]$/u,
);
const pieces = /\n| |[^\n ]+/gu;
