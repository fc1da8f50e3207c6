import { escapeInvisible } from "../../escape-invisible.ts";
import { fit, folded } from "../../table.ts";
import type { KeyPress, Panel, Theme } from "../parts.ts";
import { createScrollView, listRow, titleLine } from "./panel-layout.ts";
import { isTyped } from "./panel-stack.ts";

export interface ConfirmOption<Value> {
  readonly value: Value;
  /** The letter that chooses it. */
  readonly key: string;
  readonly title: string;
}

export interface ConfirmPanelParts<Value> {
  readonly title: string;
  readonly text: string;
  /** The options. The last one is preselected and means no. */
  readonly options: readonly ConfirmOption<Value>[];
  readonly hint: string;
  readonly theme: Theme;
  close(value: Value): void;
  redraw(): void;
}

/** Asks before an action that cannot be undone. Esc, or Enter alone, chooses the last option: no. */
export function createConfirmPanel<Value>(parts: ConfirmPanelParts<Value>): Panel {
  const { title, text, options, hint, theme, close, redraw } = parts;
  const view = createScrollView();
  let current = options.length - 1;

  function press(pressed: KeyPress): boolean {
    const { chord, text: typed } = pressed;
    // A letter of a text is not an answer.
    const isText = chord === "paste" || (pressed.isBurst === true && isTyped(pressed));
    const key = isText ? "" : (typed ?? chord).toLowerCase();
    let isUsed = true;
    const option =
      // `n` answers no at once, because the `o` of a typed "no" may be the key of another option.
      chord === "escape" || (key === "n" && !options.some((each) => each.key === "n"))
        ? options.at(-1)
        : chord === "enter"
          ? options[current]
          : (options.find((each) => each.key === key) ??
            (key === "y" ? options[0] : /^[1-9]$/u.test(key) ? options[Number(key) - 1] : undefined));
    if (option) close(option.value);
    else if (chord === "up") current = Math.max(0, current - 1);
    else if (chord === "down") current = Math.min(options.length - 1, current + 1);
    else isUsed = view.press({ chord }) || !(chord === "paste" || isTyped(pressed));
    redraw();
    return isUsed;
  }

  return {
    isQuestion: true,
    press,
    draw({ columns, rows }) {
      const lines = text
        .split("\n")
        .flatMap((line) => folded(escapeInvisible(line), columns - 2))
        .map((line) => ` ${line}`);
      const [hasTitle, hasHint] = [rows >= options.length + 2, rows >= options.length + 3];
      const room = Math.max(1, rows - Number(hasTitle) - Number(hasHint));
      const optionRows = Math.min(options.length, Math.max(1, room - 1));
      // A tiny window shows the options around the marked one.
      const first = Math.max(0, Math.min(current, options.length - optionRows));
      return {
        lines: [
          ...(hasTitle ? [titleLine(theme, title, "", columns, "warn")] : []),
          ...(room > 1 ? view.visible(lines, room - optionRows) : []),
          ...options
            .map(({ key, title: name }, index) =>
              listRow(theme, `${index + 1}  ${theme.bold(key)}  ${name}`, index === current, columns),
            )
            .slice(first, first + optionRows),
          ...(hasHint ? [theme.dim(fit(` ${hint}`, columns))] : []),
        ],
      };
    },
  };
}
