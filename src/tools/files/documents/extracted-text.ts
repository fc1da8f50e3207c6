import { cut } from "../../../base/text/text.ts";

/** Collects the lines of a document up to a limit. */
export interface ExtractedText {
  /** Adds a line. Throws `FullText` when the limit is reached, which ends the extraction. */
  line(text: string): void;
  /** Adds an empty line, unless the last line is empty. */
  gap(): void;
  /** Adds a note about the whole document, once. */
  note(sentence: string): void;
  text(): string;
  readonly notes: readonly string[];
}

export class FullText extends Error {}

export function createExtractedText(maxChars: number): ExtractedText {
  const lines: string[] = [];
  const notes: string[] = [];
  let room = maxChars;
  return {
    line(text) {
      room -= text.length + 1;
      if (room < 0) {
        lines.push(cut(text, Math.max(0, room + text.length + 1)));
        throw new FullText();
      }
      lines.push(text);
    },
    gap() {
      if (lines.length > 0 && lines.at(-1) !== "") lines.push("");
    },
    note(sentence) {
      if (!notes.includes(sentence)) notes.push(sentence);
    },
    text: () => lines.join("\n").replace(/\n+$/u, ""),
    notes,
  };
}

export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s*\n\s*/gu, "<br>").replaceAll("|", "\\|")).join(" | ")} |`;
}

export function tableRule(columns: number): string {
  return `|${" --- |".repeat(Math.max(1, columns))}`;
}
