import type { Clock } from "../../../../base/clock.ts";
import { durationText } from "../../../../base/text/time-text.ts";
import type { PersonQuestion } from "../../../../contracts/host/question.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { fit, folded } from "../../table.ts";
import type { KeyPress, Panel, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createChoiceList } from "./choice-list.ts";
import { createScrollView, startCountdown, titleLine } from "./panel-layout.ts";
import { isTyped } from "./panel-stack.ts";

export interface QuestionPanelParts {
  readonly question: PersonQuestion;
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  close(answer: readonly string[] | "declined"): void;
  redraw(): void;
  /** Gets text that the person types while an optional question is shown. */
  readonly typeElsewhere?: (key: KeyPress) => void;
}

/** One question with choices, or a line for the answer. An optional question closes when the user types a prompt. */
export function createQuestionPanel(parts: QuestionPanelParts): Panel {
  const { question, theme, clock, redraw, close } = parts;
  const { choices = [], hasSeveral = false, allowsText = true, isOptional = false, from, timeoutMs } = question;
  const texts = parts.texts.panels.choices;
  const list = createChoiceList({ ...parts, choices, hasSeveral, allowsText: allowsText && !isOptional });
  const body = createScrollView();
  const openedAt = clock.elapsed();
  let fault = "";
  const leftMs = () => Math.max(0, (timeoutMs ?? 0) - (clock.elapsed() - openedAt));
  const countdown = startCountdown(parts, leftMs);

  function answer(): void {
    const { picked, words } = list.answer;
    const labels = picked.flatMap((index) => choices[index]?.label ?? []);
    const values = words === "" ? labels : [...labels, words];
    if (values.length > 0) close(values);
    else fault = choices.length === 0 ? texts.typeFirst : texts.markFirst;
  }

  function press(key: KeyPress): boolean {
    fault = "";
    if (key.chord === "escape") close("declined");
    // A prompt that the person began to type when the question appeared.
    else if (isOptional && isTyped(key) && clock.elapsed() < openedAt + optionalReadyMs) leave(key);
    else if (!body.press(key)) {
      const outcome = list.press(key);
      if (outcome === "answered") answer();
      else if (outcome === "ignored" && isOptional) {
        leave(key);
        return key.chord !== "ctrl+c" || isTyped(key);
      }
    }
    redraw();
    return true;
  }

  function leave(key: KeyPress): void {
    close("declined");
    if (isTyped(key) || key.chord === "paste") parts.typeElsewhere?.(key);
  }

  return {
    ...(!isOptional && { isQuestion: true }),
    press,
    closed: () => countdown[Symbol.dispose](),
    draw({ columns, rows }) {
      const left = timeoutMs === undefined ? "" : texts.left(durationText(leftMs()));
      const title = from === undefined ? texts.question : texts.questionFrom(escapeInvisible(from));
      const edge = from === undefined ? " " : `  ${theme.dim("│")} `;
      const text = question.text
        .split("\n")
        .flatMap((line) => folded(escapeInvisible(line), columns - 5))
        .map((line) => edge + line);
      const [hasTitle, hasHint] = [rows >= 4, rows >= 5 || fault !== ""];
      const free = Math.max(2, rows - Number(hasTitle) - Number(hasHint));
      const listRows = list.draw(columns - 2, Infinity).lines.length;
      const textRows = Math.max(1, Math.min(text.length, Math.max(Math.floor(free / 2), free - listRows)));
      const room = Math.max(1, free - textRows);
      // The page keys reach what has no room: the end of the question, then the rest of the current choice.
      const visible = body.visible(
        [...text, ...list.cutChoice(columns - 2, room).map((line) => edge + line)],
        textRows,
      );
      const { lines, cursor } = list.draw(columns - 2, room);
      const { above, below } = body.hidden;
      const how = hasSeveral ? texts.severalHint : choices.length === 0 ? texts.textHint : texts.oneHint;
      const scroll = above + below > 0 ? `${texts.scroll(above, below)} · ` : "";
      const hint =
        fault === "" ? theme.dim(fit(` ${scroll}${how}`, columns)) : fit(` ${theme.bad("•")} ${fault}`, columns);
      const shown = [
        ...(hasTitle ? [titleLine(theme, title, left, columns)] : []),
        ...visible,
        ...lines.map((line) => ` ${line}`),
        ...(hasHint ? [hint] : []),
      ].slice(0, Math.max(1, rows));
      if (!cursor) return { lines: shown };
      return {
        lines: shown,
        cursor: { row: Number(hasTitle) + visible.length + cursor.row, column: cursor.column + 1 },
      };
    },
  };
}

const optionalReadyMs = 400;
