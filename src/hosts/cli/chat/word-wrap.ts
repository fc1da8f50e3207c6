import { textWidth } from "../text-width.ts";

/** Breaks text between words while it comes, so that a terminal need not break within them. A word is held until it ends. */
export interface WordWrap {
  push(text: string): string;
  /** The word that is held, before it has ended: nothing came for a while. More of it goes on there. */
  rest(): string;
  /** The word that was held. What comes next begins a line. */
  end(): string;
}

/** Code, tables and words that are longer than a line stay as they are; what goes on from an item of a list is indented. */
export function createWordWrap(columns: () => number): WordWrap {
  let word = "";
  /** Blanks that stand before the next word, if it does not begin a line. */
  let blanks = "";
  let column = 0;
  let indent = 0;
  let isCode = false;
  /** Only what an item of a list begins with stood in this line so far. */
  let isBeginning = true;
  let staysWhole = false;

  function takeWord(): string {
    const width = textWidth(word);
    const taken = word;
    word = "";
    if (width === 0) return taken;
    column += blanks.length;
    if (isBeginning) begin(taken, width);
    const breaks = !isCode && !staysWhole && blanks !== "" && column > indent && column + width > columns();
    const before = breaks ? `\n${" ".repeat(indent)}` : blanks;
    column = (breaks ? indent : column) + width;
    blanks = "";
    return `${before}${taken}`;
  }

  function begin(text: string, width: number): void {
    const plain = text.replaceAll(escapeCodes, "");
    const isFence = /^(?:`{3,}|~{3,})/u.test(plain);
    if (isFence) isCode = !isCode;
    staysWhole = isFence || plain.startsWith("|");
    const isItem = /^(?:[•*+>-]|\d{1,3}[.)])$/u.test(plain);
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
        if (word.length > longestWord) out += takeWord();
      }
      return out;
    },
    rest: takeWord,
    end() {
      const rest = takeWord();
      startLine();
      isCode = false;
      return rest;
    },
  };
}

const longestWord = 400;
const pieces = /\n| |[^\n ]+/gu;
// oxlint-disable-next-line no-control-regex -- colours are what it takes out
const escapeCodes = /\x1b\[[0-9;]*m/gu;
