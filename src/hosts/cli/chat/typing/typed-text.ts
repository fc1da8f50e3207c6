import { plural } from "../../../../base/text/text.ts";

/** The lines of one input while it is typed. */
export interface TypedText {
  /** Returns the placeholder shown for pasted text. */
  paste(text: string): string;
  /**
   * Adds a line. Returns the whole input if this line completes it. `goesOn`: a newline key was pressed, so the input
   * continues.
   */
  line(text: string, goesOn: boolean): string | undefined;
  /** True: lines were typed and the input is incomplete. */
  readonly isBegun: boolean;
  clear(): void;
}

/**
 * A backslash at the end of a line, an open fence of three backticks, or a key continues the input on the next line.
 */
export function createTypedText(): TypedText {
  let lines: string[] = [];
  const pasted = new Map<string, string>();
  return {
    paste(text) {
      if (!text.includes("\n") && text.length <= maxShownChars) return text;
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

const maxShownChars = 2_000;
const marks = /\[pasted \d+: \d+ lines?, \d+ characters\]/gu;

function isFenceOpen(lines: readonly string[]): boolean {
  return lines.filter((line) => line.trimStart().startsWith("```")).length % 2 === 1;
}
