import { textWidth } from "../../../../base/text/text-width.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { type Choice, choiceTitle } from "../../../../contracts/host/question.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { folded } from "../../table.ts";
import type { Drawn, KeyPress, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createLineInput } from "./line-input.ts";
import { isTyped } from "./panel-stack.ts";

export interface ChoiceListOptions {
  readonly choices: readonly Choice[];
  readonly hasSeveral: boolean;
  /** The last row is a line for the person's own words. */
  readonly allowsText: boolean;
  /** Positions that are chosen already. */
  readonly initial?: readonly number[];
  readonly theme: Theme;
  readonly texts: ScreenTexts;
}

/** Choices that a person picks with arrows, numbers or the space bar, and a line for their own words. */
export interface ChoiceList {
  /** `answered`: Enter, or the number of a single choice. `ignored`: the key is not for the list. */
  press(key: KeyPress): "answered" | "taken" | "ignored";
  /** The chosen positions and the typed words. */
  readonly answer: { readonly picked: readonly number[]; readonly words: string };
  /** Draws at most `rows` rows around the current choice. */
  draw(columns: number, rows: number): Drawn;
  /** All rows of the current choice, if `draw` cuts them. */
  cutChoice(columns: number, rows: number): readonly string[];
}

export function createChoiceList(options: ChoiceListOptions): ChoiceList {
  const { choices, hasSeveral, allowsText, initial = [], theme } = options;
  const texts = options.texts.panels.choices;
  const input = createLineInput();
  const last = choices.length - (allowsText ? 0 : 1);
  const checked = new Set(hasSeveral ? initial : []);
  let current = initial[0] ?? 0;

  const isAtText = () => current === choices.length;

  function toggle(index: number): void {
    if (!checked.delete(index)) checked.add(index);
    current = index;
  }

  function press(key: KeyPress): "answered" | "taken" | "ignored" {
    const { chord, text } = key;
    if (chord === "enter") return "answered";
    if (chord === "up" || chord === "down") {
      const next = current + (chord === "up" ? -1 : 1);
      current = next < 0 ? last : next > last ? 0 : next;
      return "taken";
    }
    if (isAtText()) return input.press(key) ? "taken" : "ignored";
    // A tenth choice has the key 0.
    const isNumber = /^\d$/u.test(text ?? "") && chord !== "paste" && !(key.isBurst && allowsText);
    const index = isNumber ? (Number(text) + 9) % 10 : undefined;
    if (index !== undefined && choices[index]) {
      if (hasSeveral) toggle(index);
      else current = index;
      return hasSeveral ? "taken" : "answered";
    }
    if (text === " " || chord === "space") {
      if (hasSeveral) toggle(current);
      return "taken";
    }
    if (allowsText && (isTyped(key) || chord === "paste")) {
      current = choices.length;
      input.press(key);
      return "taken";
    }
    return "ignored";
  }

  function block(choice: Choice, index: number, columns: number): readonly string[] {
    const isCurrent = index === current;
    const box = hasSeveral ? (checked.has(index) ? "[x] " : "[ ] ") : "";
    const head = `${isCurrent ? "❯" : " "} ${String(index + 1).padStart(String(choices.length).length)}. ${box}`;
    const indent = " ".repeat(textWidth(head));
    const title = folded(escapeInvisible(choiceTitle(choice)), columns - indent.length);
    const about = escapeInvisible(oneLine(choice.description ?? "", maxDescriptionChars));
    return [
      ...title.map((line, row) => paintRow(`${row === 0 ? head : indent}${line}`, isCurrent)),
      ...(about === "" ? [] : folded(about, columns - indent.length).map((line) => theme.dim(indent + line))),
    ];
  }

  const paintRow = (row: string, isCurrent: boolean) => (isCurrent ? theme.paintAs("menuCurrent", row) : row);

  /** The line for own words, with the cursor when it is current. */
  function textRow(columns: number): { readonly row: string; readonly column?: number } {
    const mark = choices.length === 0 ? "> " : `${isAtText() ? "❯" : " "} > `;
    const { text, column } = input.draw(columns - mark.length);
    const empty = choices.length === 0 ? texts.typeAnswer : texts.ownWords;
    const shown = input.text === "" ? theme.dim(empty.slice(0, Math.max(0, columns - mark.length - 1))) : text;
    return { row: `${mark}${shown}`, ...(isAtText() && { column: mark.length + column }) };
  }

  /** A single row shows the current choice or the line for own words. */
  const choiceRows = (rows: number) => Math.max(1, rows - (allowsText && rows > 1 ? 1 : 0));

  return {
    press,
    cutChoice(columns, rows) {
      const choice = choices[current];
      const lines = choice ? block(choice, current, columns) : [];
      return lines.length > choiceRows(rows) ? lines : [];
    },
    get answer() {
      const words = isAtText() || hasSeveral ? input.text.trim() : "";
      const picked = hasSeveral ? [...checked].toSorted((one, other) => one - other) : isAtText() ? [] : [current];
      return { picked: picked.filter((index) => choices[index]), words };
    },
    draw(columns, rows) {
      const own = allowsText ? textRow(columns) : undefined;
      const blocks = choices.map((choice, index) => block(choice, index, columns));
      const { lines } = around(blocks, Math.min(current, choices.length - 1), choiceRows(rows), (count, isAbove) =>
        theme.dim(isAbove ? texts.moreAbove(count) : texts.moreBelow(count)),
      );
      const shown = own ? (rows > 1 ? [...lines, own.row] : isAtText() ? [own.row] : lines) : lines;
      return own?.column === undefined
        ? { lines: shown }
        : { lines: shown, cursor: { row: shown.length - 1, column: own.column } };
    },
  };
}

const maxDescriptionChars = 400;

/**
 * As many whole blocks around the current one as fit into the rows, with a line that counts those above and below.
 * `first`: the first visible block.
 */
export function around(
  blocks: readonly (readonly string[])[],
  current: number,
  rows: number,
  more: (count: number, isAbove: boolean) => string,
): { readonly lines: readonly string[]; readonly first: number; readonly hasNoteAbove: boolean } {
  const total = blocks.reduce((sum, block) => sum + block.length, 0);
  if (total <= rows || blocks.length === 0) return { lines: blocks.flat(), first: 0, hasNoteAbove: false };
  const start = Math.max(0, current);
  let [from, to] = [start, start + 1];
  let height = blocks[from]?.length ?? 0;
  // Omits the notes if they would hide the current block.
  const hasNotes = rows >= height + 2;
  const room = hasNotes ? rows - 2 : rows;
  for (let hasGrown = true; hasGrown;) {
    const [above, below] = [blocks[from - 1], blocks[to]];
    hasGrown = false;
    if (below && height + below.length <= room) [to, height, hasGrown] = [to + 1, height + below.length, true];
    if (above && height + above.length <= room) [from, height, hasGrown] = [from - 1, height + above.length, true];
  }
  const lines = [
    ...(hasNotes && from > 0 ? [more(from, true)] : []),
    ...blocks.slice(from, to).flat().slice(0, Math.max(1, room)),
    ...(hasNotes && to < blocks.length ? [more(blocks.length - to, false)] : []),
  ];
  return { lines, first: from, hasNoteAbove: hasNotes && from > 0 };
}
