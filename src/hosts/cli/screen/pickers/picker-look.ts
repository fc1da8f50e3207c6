import { textWidth } from "../../../../base/text/text-width.ts";
import { cut, oneLine } from "../../../../base/text/text.ts";
import { fit, folded } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import type { LineInput } from "../panels/line-input.ts";
import { type ScrollView, titleLine } from "../panels/panel-layout.ts";
import type { Drawn, Space, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";

/** One row of a picker. Its texts are untrusted. */
export interface PickItem {
  readonly id: string;
  readonly title: string;
  /** Text to the right of the title. */
  readonly detail?: string;
  /** A character before the title: `●` for the current item. */
  readonly mark?: string;
  /** More words that a search finds. */
  readonly words?: string;
  readonly isDim?: boolean;
}

/** A line of a preview. The picker cuts and paints it. */
export interface PreviewLine {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** The visible state of a picker. */
export interface PickerLook {
  readonly title: string;
  readonly theme: Theme;
  readonly texts: ScreenTexts["panels"]["picker"];
  readonly matches: readonly PickItem[];
  /** Undefined while the items load. */
  readonly total: number | undefined;
  readonly current: number;
  readonly query: LineInput;
  /** If set, the line is the answer to this question. */
  readonly prompt: string | undefined;
  readonly message: { readonly text: string; readonly isFault: boolean } | undefined;
  readonly hint: readonly string[];
  /** Message to show if there is nothing to pick. */
  readonly empty: string | undefined;
  readonly hasPreview: boolean;
  /** True: the preview takes all rows. */
  readonly isWide: boolean;
  preview(): readonly PreviewLine[] | "loading" | undefined;
  readonly scroll: ScrollView;
}

const sideBySideColumns = 100;
const minPreviewRows = 5;

export function drawPicker(
  look: PickerLook,
  { columns, rows }: Space,
): { readonly drawn: Drawn; readonly listRows: number } {
  const { theme, texts, matches, total, title } = look;
  const count = total === undefined ? texts.loading : texts.count(matches.length, total);
  const head = rows < 4 ? [] : [titleLine(theme, title, count, columns)];
  const prompt = look.prompt === undefined ? "> " : `${look.prompt} `;
  const line = look.query.draw(columns - textWidth(prompt) - 1);
  const placeholder =
    look.prompt === undefined && look.query.text === "" ? theme.dim(fit(texts.typeToSearch, columns - 4)) : "";
  const input = ` ${theme.accent(prompt)}${placeholder === "" ? line.text : placeholder}`;
  const cursor = { row: head.length, column: 1 + textWidth(prompt) + line.column };
  const keys = rows < 5 && look.message === undefined ? [] : footer(look, columns, rows);
  const free = Math.max(1, rows - 1 - head.length - keys.length);
  const body = look.isWide
    ? { lines: previewLines(look, columns, free), listRows: free }
    : listBody(look, columns, free);
  const lines = [...head, input, ...body.lines, ...keys];
  return { drawn: { lines: lines.slice(0, Math.max(2, rows)), cursor }, listRows: body.listRows };
}

function listBody(
  look: PickerLook,
  columns: number,
  free: number,
): { readonly lines: readonly string[]; readonly listRows: number } {
  const { theme, hasPreview, matches } = look;
  if (!hasPreview || matches.length === 0) return { lines: listLines(look, columns, free), listRows: free };
  if (columns >= sideBySideColumns) {
    const left = Math.floor(columns / 2);
    const list = listLines(look, left, free);
    const beside = previewLines(look, columns - left - 3, free);
    const lines = Array.from({ length: Math.max(list.length, beside.length) }, (_, index) => {
      const text = list[index] ?? "";
      const pad = " ".repeat(Math.max(0, left - textWidth(text)));
      return `${text}${pad} ${theme.paintAs("border", "│")} ${beside[index] ?? ""}`.trimEnd();
    });
    return { lines, listRows: free };
  }
  const below = Math.floor(free / 2) - 1;
  if (below < minPreviewRows) return { lines: listLines(look, columns, free), listRows: free };
  const listRows = Math.min(free - below - 1, Math.max(3, matches.length));
  const shown = previewLines(look, columns, free - listRows - 1);
  const rule = theme.paintAs("border", "─".repeat(columns));
  return { lines: [...listLines(look, columns, listRows), ...(shown.length > 0 ? [rule, ...shown] : [])], listRows };
}

function listLines(
  { theme, matches, current, empty, total, texts }: PickerLook,
  columns: number,
  rows: number,
): readonly string[] {
  if (empty !== undefined)
    return folded(empty, columns - 2)
      .map((line) => theme.dim(` ${line}`))
      .slice(0, rows);
  if (matches.length === 0) return [theme.dim(` ${total === undefined ? texts.loading : texts.noMatch}`)];
  const from = Math.min(Math.max(0, current - Math.floor(rows / 2)), Math.max(0, matches.length - rows));
  return matches
    .slice(from, from + rows)
    .map((item, index) => itemLine(item, from + index === current, columns, theme));
}

function itemLine(item: PickItem, isCurrent: boolean, columns: number, theme: Theme): string {
  const head = `${isCurrent ? "❯" : " "} ${item.mark === undefined ? "" : `${item.mark} `}`;
  // Spaces at the start draw a tree.
  const title = cut(withoutControls(item.title).replaceAll(/[\n\t]+/gu, " "), 500);
  const detail = oneLine(withoutControls(item.detail ?? ""), 200);
  const room = columns - textWidth(head) - 1;
  const hasRoom = detail !== "" && room - textWidth(detail) >= Math.min(20, textWidth(title)) + 2;
  const side = hasRoom ? detail : detail === "" ? "" : fit(detail, Math.max(0, Math.floor(room / 3)));
  const shown = fit(title, Math.max(1, room - (side === "" ? 0 : textWidth(side) + 2)));
  const gap = " ".repeat(Math.max(side === "" ? 0 : 2, room - textWidth(shown) - textWidth(side)));
  const row = `${head}${shown}${side === "" ? "" : gap}`;
  if (isCurrent) return theme.paintAs("menuCurrent", `${row}${side}`);
  return `${item.isDim ? theme.dim(row) : row}${theme.dim(side)}`;
}

function previewLines(look: PickerLook, columns: number, rows: number): readonly string[] {
  const lines = look.preview();
  if (lines === undefined) return [];
  if (lines === "loading") return [look.theme.dim(` ${look.texts.loading}`)];
  return look.scroll.visible(foldedPreview(lines, columns), Math.max(1, rows));
}

/** Wraps and colours the lines of a preview. */
export function foldedPreview(lines: readonly PreviewLine[], columns: number): readonly string[] {
  return lines.flatMap(({ text, paint }) =>
    folded(withoutControls(text).replaceAll("\t", "    "), columns - 1).map((line) => ` ${paint ? paint(line) : line}`),
  );
}

/** A message, or the keys; in a large window on two lines. */
function footer(look: PickerLook, columns: number, rows: number): readonly string[] {
  const { theme, message, hint, texts, hasPreview, isWide, prompt } = look;
  if (message) {
    const text = fit(` ${oneLine(withoutControls(message.text), 400)}`, columns);
    return [message.isFault ? theme.bad(text) : theme.good(text)];
  }
  if (prompt !== undefined) return [theme.dim(fit(` ${texts.askHint}`, columns))];
  if (isWide) return [theme.dim(fit(` ${texts.previewHint}`, columns))];
  const lines: string[] = [];
  for (const key of [...hint, ...(hasPreview ? [texts.previewKey] : []), texts.closeKey]) {
    const last = lines.at(-1);
    const isJoined = last !== undefined && (rows < minRowsForTwo || textWidth(`${last} · ${key}`) < columns);
    if (isJoined) lines[lines.length - 1] = `${last} · ${key}`;
    else lines.push(` ${key}`);
  }
  return lines.slice(0, 2).map((line) => theme.dim(fit(line, columns)));
}

const minRowsForTwo = 9;
