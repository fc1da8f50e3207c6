import { textWidth } from "../../../../base/text/text-width.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { type Choice, choiceTitle } from "../../../../contracts/host/question.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { Paint } from "../../paint.ts";
import { folded } from "../../table.ts";
import type { LineMenu } from "./line-menu.ts";

export interface ChoiceMenuOptions {
  readonly choices: readonly Choice[];
  readonly hasSeveral: boolean;
  /** True: free text is allowed. */
  readonly allowsText: boolean;
  /** Positions that are preselected. */
  readonly initial?: readonly number[];
  /** True: Enter without a choice selects nothing. */
  readonly canBeEmpty?: boolean;
  /** How to answer, instead of the default hint. */
  readonly hint?: string;
  readonly paint: Paint;
  columns(): number;
  rows(): number;
}

export interface ChoiceMenu extends LineMenu {
  /** The answer; undefined until the person has answered. `words`: free text, or empty. */
  readonly answer: { readonly picked: readonly number[]; readonly words: string } | undefined;
}

/**
 * Choices above the input line. Arrows move the mark, a number names a choice, the space bar marks several; any other
 * key types an answer. With an empty list only the line is shown.
 */
export function createChoiceMenu(options: ChoiceMenuOptions): ChoiceMenu {
  const { choices, hasSeveral, allowsText, initial = [], canBeEmpty = false, paint, columns, rows } = options;
  let cursor = initial[0] ?? (canBeEmpty && !hasSeveral ? -1 : 0);
  const checked = new Set(hasSeveral ? initial : []);
  let fault = "";
  let isAfterComma = false;
  let answer: ChoiceMenu["answer"];

  function indexOf(word: string): number | undefined {
    const typed = word.trim().toLowerCase();
    if (/^\d+$/u.test(typed) && choices[Number(typed) - 1]) return Number(typed) - 1;
    const index = choices.findIndex(({ label }) => label.trim().toLowerCase() === typed);
    return index < 0 ? undefined : index;
  }

  function toggle(index: number): void {
    if (!checked.delete(index)) checked.add(index);
    cursor = index;
  }

  function move(step: number): void {
    const last = choices.length - 1;
    const next = cursor + step;
    cursor = next < 0 ? last : next > last ? 0 : next;
  }

  /** In a list of more than nine choices, digits are typed into the line, because a number may have two digits. */
  const shortcut = (key: string) =>
    hasSeveral && choices.length <= 9 && /^[1-9]$/u.test(key) && choices[Number(key) - 1] ? Number(key) - 1 : undefined;

  function press(key: string, line: string): boolean {
    const wasAfterComma = isAfterComma;
    isAfterComma = false;
    fault = "";
    const step = steps[key];
    if (step !== undefined) {
      if (choices.length > 0) move(step);
      return true;
    }
    if (line !== "" || choices.length === 0) return false;
    const index = shortcut(key);
    if (index !== undefined) toggle(index);
    else if (hasSeveral && key === ",") isAfterComma = true;
    else if (hasSeveral && key === " " && !wasAfterComma) toggle(Math.max(0, cursor));
    else return key === " ";
    return true;
  }

  function submit(line: string): boolean {
    const typed = line.trim();
    const words = hasSeveral ? typed.split(",") : [typed];
    const whole = indexOf(typed);
    const named = typed === "" ? [] : whole === undefined ? words.map(indexOf) : [whole];
    const indexes = named.filter((index) => index !== undefined);
    const isNamed = indexes.length === named.length;
    if (typed !== "" && !isNamed && !allowsText) fault = `There is no choice ${escapeInvisible(oneLine(typed, 40))}.`;
    const moved = hasSeveral ? [...checked] : typed === "" && cursor >= 0 && choices[cursor] ? [cursor] : [];
    const picked = [...new Set([...moved, ...(isNamed ? indexes : [])])].toSorted((one, other) => one - other);
    if (fault === "" && picked.length === 0 && typed === "" && !canBeEmpty)
      fault = choices.length === 0 ? "Type an answer." : "Mark at least one with the space bar.";
    if (fault !== "") return false;
    answer = { picked, words: isNamed ? "" : typed };
    return true;
  }

  /** The rows of one choice. */
  function block(choice: Choice, index: number, shown: number): readonly string[] {
    const isHere = index === shown;
    const box = hasSeveral ? (checked.has(index) ? "[x] " : "[ ] ") : "";
    const head = `${isHere ? "❯" : " "} ${String(index + 1).padStart(String(choices.length).length)}. ${box}`;
    const indent = " ".repeat(textWidth(head) + 2);
    const about = escapeInvisible(oneLine(choice.description ?? "", maxDescriptionChars));
    const width = columns() - 1;
    const title = folded(escapeInvisible(choiceTitle(choice)), width - indent.length);
    const paintTitle = isHere ? paint.accent : (text: string) => text;
    return [
      ...title.map((line, row) => paintTitle(`${row === 0 ? `  ${head}` : indent}${line}`)),
      ...(about === "" ? [] : folded(about, width - indent.length).map((line) => paint.dim(`${indent}${line}`))),
    ];
  }

  /** Shows as many choices around the current one as fit, and how many are hidden above and below. */
  function visible(blocks: readonly (readonly string[])[], shown: number, room: number): readonly string[] {
    let [from, to] = [Math.max(0, shown), Math.max(0, shown) + 1];
    let height = blocks[from]?.length ?? 0;
    for (let hasGrown = true; hasGrown;) {
      const [above, below] = [blocks[from - 1], blocks[to]];
      hasGrown = false;
      if (below && height + below.length <= room) [to, height, hasGrown] = [to + 1, height + below.length, true];
      if (above && height + above.length <= room) [from, height, hasGrown] = [from - 1, height + above.length, true];
    }
    return [
      ...(from > 0 ? [paint.dim(`    … ${from} more above`)] : []),
      ...blocks.slice(from, to).flat(),
      ...(to < blocks.length ? [paint.dim(`    … ${blocks.length - to} more below`)] : []),
    ];
  }

  return {
    get answer() {
      return answer;
    },
    press,
    submit,
    decline() {
      answer = undefined;
    },
    rows(line) {
      const named = indexOf(line);
      const shown = named ?? (line.trim() === "" ? cursor : -1);
      const hint = folded(hintText(options), columns() - 3).map((each) => paint.dim(`  ${each}`));
      const blocks = choices.map((choice, index) => block(choice, index, shown));
      const room = Math.max(1, rows() - hint.length - 7);
      const list = visible(blocks, shown < 0 ? cursor : shown, room);
      return [...list, ...(fault === "" ? hint : [`  ${paint.bad("•")} ${fault}`])];
    },
  };
}

function hintText({ choices, hasSeveral, allowsText, canBeEmpty, hint }: ChoiceMenuOptions): string {
  if (hint !== undefined) return hint;
  const decline = canBeEmpty ? "Enter skips" : "Esc declines";
  if (choices.length === 0) return `Enter answers · ${decline}`;
  const how = hasSeveral ? "↑↓ and space, or numbers mark · Enter answers" : "↑↓ or a number, Enter answers";
  return [how, ...(allowsText ? ["or type your own answer"] : []), decline].join(" · ");
}

const maxDescriptionChars = 400;
/** Arrows in both modes of a terminal, Tab and Shift-Tab. */
const steps: Readonly<Record<string, number>> = {
  "\x1b[A": -1,
  "\x1bOA": -1,
  "\x1b[Z": -1,
  "\x1b[B": 1,
  "\x1bOB": 1,
  "\t": 1,
};
