import { graphemes, graphemeWidth } from "../../../../base/text/graphemes.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { Drawn, Space, Theme } from "../parts.ts";
import type { CompletionMenu } from "./completion-menu.ts";
import { type DraftLayout, type DraftRow, cursorPlace } from "./draft-layout.ts";

export interface EditorView {
  readonly layout: DraftLayout;
  readonly cursor: number;
  /** A selected range. */
  readonly selection?: { readonly from: number; readonly to: number };
  /** Text after the cursor that Tab would insert. */
  readonly ghost?: string;
  /** Shown while the draft is empty. */
  readonly placeholder?: string;
  /** A row below the draft: a search, a notice. */
  readonly notice?: string;
  readonly menu: Pick<CompletionMenu, "current" | "index" | "isChosen">;
  /** True: the line starts with `!` and runs as a shell command of the user. */
  readonly isShell: boolean;
}

/** The width of the symbol before the draft. */
export const gutterColumns = 2;
const maxMenuRows = 8;

/** The draft with its sign, the menu and a notice. `top`: the first visible row; it follows the cursor. */
export function drawEditor(
  view: EditorView,
  { columns, rows }: Space,
  theme: Theme,
  top: number,
): Drawn & { readonly top: number } {
  const { layout, menu } = view;
  const place = cursorPlace(layout, view.cursor);
  const below = [
    ...menuLines(
      menu,
      columns,
      Math.min(maxMenuRows, Math.max(0, rows - 1 - (view.notice === undefined ? 0 : 1))),
      theme,
    ),
    ...(view.notice === undefined || rows < 2 ? [] : [theme.paintAs("dim", fitted(view.notice, columns))]),
  ];
  const room = Math.max(1, rows - below.length);
  const count = layout.rows.length;
  const first = Math.max(0, Math.min(Math.max(top, place.row - room + 1), place.row, Math.max(0, count - room)));
  const shown = layout.rows.slice(first, first + room);
  const lines = shown.map((row, index) => {
    const isFirst = first + index === 0;
    const isLast = first + index === count - 1;
    const sign = isFirst
      ? theme.paintAs(
          view.isShell ? "warn" : "prompt",
          fitted(view.isShell ? "!" : theme.promptSymbol, gutterColumns - 1),
        )
      : index === 0
        ? theme.paintAs("dim", "↑")
        : index === shown.length - 1 && !isLast
          ? theme.paintAs("dim", "↓")
          : "";
    const pad = " ".repeat(Math.max(0, gutterColumns - textWidth(sign)));
    const after = isLast ? afterText(view, row, columns, theme) : "";
    return `${sign}${pad}${rowText(row, view, theme)}${after}`;
  });
  const cursor = { row: place.row - first, column: Math.min(gutterColumns + place.column, Math.max(0, columns - 1)) };
  return { lines: [...lines, ...below], cursor, top: first };
}

function rowText({ cells, start }: DraftRow, { selection }: EditorView, theme: Theme): string {
  let text = "";
  let run = "";
  let isSelectedRun = false;
  const flush = () => {
    text += isSelectedRun ? theme.paintAs("selection", run) : run;
    run = "";
  };
  for (const { shown, isLabel, offset } of cells) {
    const isSelected = selection !== undefined && start + offset >= selection.from && start + offset < selection.to;
    if (isSelected !== isSelectedRun) flush();
    isSelectedRun = isSelected;
    run += isLabel && !isSelected ? theme.paintAs("accent", shown) : shown;
  }
  flush();
  return text;
}

function afterText({ ghost, placeholder, layout }: EditorView, row: DraftRow, columns: number, theme: Theme): string {
  const isEmpty = layout.rows.length === 1 && row.cells.length === 0;
  const text = isEmpty ? placeholder : ghost;
  if (text === undefined || text === "") return "";
  const used = gutterColumns + row.cells.reduce((sum, { width }) => sum + width, 0);
  return used >= columns - 1 ? "" : theme.paintAs("dim", fitted(escapeInvisible(text), columns - 1 - used));
}

function menuLines(
  { current, index, isChosen }: EditorView["menu"],
  columns: number,
  maxRows: number,
  theme: Theme,
): readonly string[] {
  if (!current || maxRows <= 0) return [];
  const { items, help, takesFirst = false } = current;
  const helpRows =
    help === undefined || maxRows < 2 ? [] : [theme.paintAs("dim", fitted(`  ${escapeInvisible(help)}`, columns))];
  const room = maxRows - helpRows.length;
  const from = Math.max(0, Math.min(index - Math.floor(room / 2), items.length - room));
  const visible = items.slice(from, from + room);
  const labels = visible.map(({ label }) => escapeInvisible(label));
  const wide = Math.min(Math.max(0, ...labels.map(textWidth)), Math.max(12, Math.floor(columns / 2)));
  const rows = visible.map(({ detail }, row) => {
    const label = fitted(labels[row] ?? "", wide);
    const isCurrent = from + row === index && (isChosen || takesFirst);
    const head = `${isCurrent ? "›" : " "} ${label}${" ".repeat(Math.max(0, wide - textWidth(label)))}`;
    const rest = columns - textWidth(head) - 2;
    const about =
      detail === undefined || rest < 8 ? "" : fitted(escapeInvisible(detail.replaceAll(/\s+/gu, " ")), rest);
    if (isCurrent) return theme.paintAs("menuCurrent", fitted(`${head}${about === "" ? "" : `  ${about}`}`, columns));
    return `${theme.paintAs("menu", fitted(head, columns))}${about === "" ? "" : theme.paintAs("dim", `  ${about}`)}`;
  });
  return [...rows, ...helpRows];
}

/** Truncates a text to this many columns; a truncated text ends with "…". */
function fitted(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let kept = "";
  for (const grapheme of graphemes(text)) {
    width += graphemeWidth(grapheme);
    if (width > columns - 1) break;
    kept += grapheme;
  }
  return columns < 1 ? "" : `${kept}…`;
}
