import { textWidth } from "../../../../base/text/text-width.ts";
import { fit } from "../../table.ts";

/** Lines at the bottom of a terminal that change in place. Every line takes one row. */
export interface LiveRegion {
  readonly isDrawn: boolean;
  /** Draws the lines at the cursor, which must be at the start of a row. Afterwards the cursor is below the lines. */
  draw(lines: readonly string[]): string;
  /** Removes them; the cursor must be at the start of the row below them. */
  erase(): string;
}

export function createLiveRegion(columns: () => number, rows: () => number): LiveRegion {
  let widths: readonly number[] = [];
  return {
    get isDrawn() {
      return widths.length > 0;
    },
    draw(lines) {
      // Draws at most as many rows as the window has, because rows above its top cannot be erased.
      const shown = lines.slice(0, Math.max(1, rows() - 3)).map((line) => fit(line, columns() - 1));
      widths = shown.map(textWidth);
      return shown.map((line) => `${line}\x1b[0m\n`).join("");
    },
    erase() {
      // Counts wrapped rows, because a window that became narrower has wrapped the lines.
      const height = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns())), 0);
      widths = [];
      return height === 0 ? "" : `\x1b[${height}A\r\x1b[J`;
    },
  };
}

/** Joins everything that is redrawn into one write, to avoid flicker. */
export function createWriter(send: (text: string) => void): {
  write(text: string): void;
  atOnce(work: () => void): void;
} {
  let drawing: string | undefined;
  return {
    write(text) {
      if (drawing === undefined) send(text);
      else drawing += text;
    },
    atOnce(work) {
      if (drawing !== undefined) return work();
      drawing = "";
      work();
      const drawn = drawing;
      drawing = undefined;
      if (drawn !== "") send(drawn);
    },
  };
}
