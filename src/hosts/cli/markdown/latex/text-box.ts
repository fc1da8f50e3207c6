import { textWidth } from "../../../../base/text/text-width.ts";

/** A block of text lines in a formula. Neighbours are aligned with its line `base`. */
export interface TextBox {
  readonly lines: readonly string[];
  readonly base: number;
}

export function boxOf(text: string): TextBox {
  return { lines: [text], base: 0 };
}

/** Boxes side by side, on one base line. */
export function besides(boxes: readonly TextBox[]): TextBox {
  if (boxes.every(({ lines }) => lines.length === 1)) return boxOf(boxes.map(({ lines }) => lines[0] ?? "").join(""));
  const above = Math.max(...boxes.map(({ base }) => base));
  const below = Math.max(...boxes.map(({ lines, base }) => lines.length - base));
  const lines = Array.from({ length: above + below }, (_, row) =>
    boxes
      .map((box) => {
        const width = boxWidth(box);
        const line = box.lines[row - above + box.base] ?? "";
        return line + " ".repeat(Math.max(0, width - textWidth(line)));
      })
      .join("")
      .trimEnd(),
  );
  return { lines, base: above };
}

/** Boxes below each other. */
export function stacked(boxes: readonly TextBox[]): TextBox {
  const lines = boxes.flatMap((box) => box.lines);
  return { lines, base: Math.floor((lines.length - 1) / 2) };
}

/** Rows of cells in aligned columns. */
export function grid(rows: readonly (readonly TextBox[])[], gap: string): TextBox {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...rows.map((row) => (row[column] ? boxWidth(row[column]) : 0))),
  );
  return stacked(
    rows.map((row) =>
      besides(
        row.flatMap((cell, column) => {
          const room = (widths[column] ?? 0) - boxWidth(cell);
          const padded = column < row.length - 1 ? [cell, boxOf(" ".repeat(Math.max(0, room)) + gap)] : [cell];
          return padded;
        }),
      ),
    ),
  );
}

/** A box between brackets of the same height. */
export function bracketed(
  box: TextBox,
  [left, right]: readonly [BracketParts | undefined, BracketParts | undefined],
): TextBox {
  const { lines, base } = box;
  const width = boxWidth(box);
  const part = (parts: BracketParts | undefined, row: number) => {
    if (!parts) return "";
    if (lines.length === 1) return parts.single;
    if (row === 0) return parts.top;
    if (row === lines.length - 1) return parts.bottom;
    return row === base ? parts.middle : parts.side;
  };
  return {
    base,
    lines: lines.map((line, row) => {
      const gap = " ".repeat(Math.max(0, width - textWidth(line)));
      const inner = lines.length === 1 ? line : ` ${line}${gap} `;
      return `${part(left, row)}${left ? inner : inner.trimStart()}${part(right, row)}`.trimEnd();
    }),
  };
}

export interface BracketParts {
  readonly single: string;
  readonly top: string;
  readonly side: string;
  readonly middle: string;
  readonly bottom: string;
}

function boxWidth({ lines }: TextBox): number {
  return Math.max(0, ...lines.map(textWidth));
}
