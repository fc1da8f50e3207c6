import type { Cell } from "./terminal-emulator.ts";

const cellWidth = 8.4;
const rowHeight = 19;
const margin = 14;
const barHeight = 28;

/** An SVG picture of a terminal's cells. */
export function pictureOf(rows: readonly (readonly Cell[])[], title: string, isLight = false): string {
  const last = rows.findLastIndex((cells) => cells.some(({ text, background }) => text !== " " || background));
  const shown = rows.slice(0, last + 1);
  const columns = Math.max(...rows.map((cells) => cells.reduce((sum, { width }) => sum + width, 0)));
  const width = Math.ceil(columns * cellWidth + margin * 2);
  const height = Math.ceil(shown.length * rowHeight + margin * 2 + barHeight);
  const [paper, ink, bar] = isLight ? ["#ffffff", "#24292f", "#eaeef2"] : ["#16181d", "#d5d8de", "#23262e"];
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (color, index) => `<circle cx="${18 + index * 18}" cy="${barHeight / 2}" r="5.5" fill="${color}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">`,
    `<rect width="${width}" height="${height}" rx="9" fill="${paper}"/>`,
    `<path d="M0 9a9 9 0 0 1 9-9h${width - 18}a9 9 0 0 1 9 9v${barHeight - 9}H0z" fill="${bar}"/>`,
    ...dots,
    `<text x="${width / 2}" y="${barHeight / 2 + 4}" fill="#8b919c" font-family="system-ui, sans-serif" font-size="12" text-anchor="middle">${escaped(title)}</text>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14" fill="${ink}" xml:space="preserve">`,
    ...shown.map((cells, row) => rowOf(cells, barHeight + margin + row * rowHeight, { paper, ink })),
    "</g>",
    "</svg>\n",
  ].join("\n");
}

interface Colors {
  readonly paper: string;
  readonly ink: string;
}

function rowOf(cells: readonly Cell[], top: number, { paper, ink }: Colors): string {
  const parts: string[] = [];
  let column = 0;
  for (const run of runsOf(cells)) {
    const { first, text, width } = run;
    const left = margin + column * cellWidth;
    column += width;
    const [front, back] = first.isInverse
      ? [first.background ?? paper, first.color ?? ink]
      : [first.color, first.background];
    if (back !== undefined)
      parts.push(
        `<rect x="${round(left)}" y="${top}" width="${round(width * cellWidth)}" height="${rowHeight}" fill="${back}"/>`,
      );
    if (text.trim() === "") continue;
    const marks = [
      ...(front === undefined ? [] : [`fill="${front}"`]),
      ...(first.isBold ? ['font-weight="bold"'] : []),
      ...(first.isItalic ? ['font-style="italic"'] : []),
      ...(first.isUnderlined ? ['text-decoration="underline"'] : []),
      ...(first.isDim ? ['opacity="0.6"'] : []),
    ];
    // The length keeps columns aligned in any font.
    parts.push(
      `<text x="${round(left)}" y="${top + 14}" textLength="${round(width * cellWidth)}" lengthAdjust="spacingAndGlyphs"${marks.map((mark) => ` ${mark}`).join("")}>${escaped(text)}</text>`,
    );
  }
  return parts.join("");
}

interface Run {
  readonly first: Cell;
  readonly text: string;
  readonly width: number;
}

/** Adjacent cells with the same style. Spaces at the end of a run form a separate run. */
function runsOf(cells: readonly Cell[]): readonly Run[] {
  const runs: Run[] = [];
  for (const cell of cells) {
    const before = runs.at(-1);
    const isGap = cell.text === " ";
    if (before && look(before.first) === look(cell) && (before.text.trim() === "") === isGap)
      runs[runs.length - 1] = { ...before, text: before.text + cell.text, width: before.width + cell.width };
    else runs.push({ first: cell, text: cell.text, width: cell.width });
  }
  return runs;
}

function look({ text: _, width: __, ...marks }: Cell): string {
  return JSON.stringify(marks);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
