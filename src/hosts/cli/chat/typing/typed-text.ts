import { plural } from "../../../../base/text/text.ts";

/** The lines of one input while it is typed. */
export interface TypedText {
  /** Shown in place of what was pasted. */
  paste(text: string): string;
  /** The whole input when this line ends it. `goesOn`: it is ended by a key that means more to come. */
  line(text: string, goesOn: boolean): string | undefined;
  /** Lines were typed and the input is not complete. */
  readonly isBegun: boolean;
  clear(): void;
}

/** A backslash at the end of a line, an open fence of three backticks, or a key continue an input on the next line. */
export function createTypedText(): TypedText {
  let lines: string[] = [];
  const pasted = new Map<string, string>();
  return {
    paste(text) {
      if (!text.includes("\n") && text.length <= longestShown) return text;
      const shown = `[pasted ${pasted.size + 1}: ${plural(text.split("\n").length, "line")}, ${text.length} characters]`;
      pasted.set(shown, text);
      return shown;
    },
    line(text, goesOn) {
      const isContinued = !goesOn && /(?:^|[^\\])(?:\\\\)*\\$/u.test(text);
      lines.push(isContinued ? text.slice(0, -1) : text);
      if (goesOn || isContinued || isFenceOpen(lines)) return undefined;
      const whole = lines.join("\n").replaceAll(marks, (mark) => pasted.get(mark) ?? mark);
      lines = [];
      return whole;
    },
    get isBegun() {
      return lines.length > 0;
    },
    clear() {
      lines = [];
    },
  };
}

const longestShown = 2_000;
const marks = /\[pasted \d+: \d+ lines?, \d+ characters\]/gu;

function isFenceOpen(lines: readonly string[]): boolean {
  return lines.filter((line) => line.trimStart().startsWith("```")).length % 2 === 1;
}
