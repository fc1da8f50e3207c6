import { characterWidth, clustersOf, clusterWidth, textWidth } from "../../base/text/text-width.ts";

/** Rows in aligned columns; truncates the last column to the remaining width. Escape codes have no width. */
export function table(rows: readonly (readonly string[])[], width: number): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(...rows.map((row) => textWidth(row[column] ?? ""))),
  );
  const usedWidth = widths.reduce((sum, each) => sum + each + 2, 0);
  const room = Math.max(20, width - usedWidth);
  return rows
    .map((row) => {
      const cells = widths.map((each, column) => pad(row[column] ?? "", each));
      return [...cells, fit((row[columns - 1] ?? "").replaceAll(/\s+/g, " "), room)].join("  ").trimEnd();
    })
    .join("\n");
}

/** Wraps a paragraph between words; only a single long word exceeds the width. Keeps the indentation. */
export function wrap(text: string, width: number): string {
  return text
    .split("\n")
    .map((line) => wrapLine(line, width))
    .join("\n");
}

function wrapLine(line: string, width: number): string {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(indent.length).split(" ")) {
    if (current !== "" && textWidth(indent + current) + 1 + textWidth(word) > width) {
      lines.push(indent + current);
      current = word;
    } else current = current === "" ? word : `${current} ${word}`;
  }
  return [...lines, indent + current].join("\n");
}

/** Wraps between words; a longer word continues on the next line. For text without colours. */
export function folded(text: string, width: number): readonly string[] {
  const room = Math.max(8, width);
  return wrap(text, room)
    .split("\n")
    .flatMap((line) => {
      if (textWidth(line) <= room) return [line];
      const lines: string[] = [];
      let current = "";
      let used = 0;
      for (const char of line) {
        const wide = characterWidth(char.codePointAt(0) ?? 0);
        if (used + wide > room && current !== "") {
          lines.push(current);
          [current, used] = ["", 0];
        }
        current += char;
        used += wide;
      }
      return [...lines, current];
    });
}

/** Truncates with "…" if needed and resets open colours. */
export function fit(cell: string, room: number): string {
  if (textWidth(cell) <= room) return cell;
  let shown = "";
  let left = room - 1;
  for (const piece of cell.split(escapeCodes)) {
    if (piece.startsWith("\u001b")) shown += piece;
    else
      for (const cluster of clustersOf(piece)) {
        left -= clusterWidth(cluster);
        if (left >= 0) shown += cluster;
      }
  }
  return `${shown.trimEnd()}…`;
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - textWidth(cell)));
}

// eslint-disable-next-line no-control-regex -- escape codes are what it finds
const escapeCodes = /(\u001b\[[0-9;]*m|\u001b\]8;[^\u001b\u0007]*(?:\u001b\\|\u0007))/g;
