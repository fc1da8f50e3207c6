import { escapeInvisible } from "../../escape-invisible.ts";
import { fit, folded } from "../../table.ts";
import type { Panel, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createLineInput } from "./line-input.ts";
import { createScrollView, titleLine } from "./panel-layout.ts";

export interface SecretPanelParts {
  /** The name, such as `SUDO_PASSWORD`. */
  readonly name: string;
  readonly prompt: string;
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  /** Empty: the person declined. */
  close(secret: string): void;
  redraw(): void;
}

/** Reads a secret. The screen shows a dot for each character, and the keys are stored nowhere else. */
export function createSecretPanel({ name, prompt, theme, texts, close, redraw }: SecretPanelParts): Panel {
  const input = createLineInput({ isHidden: true });
  const body = createScrollView();
  return {
    isQuestion: true,
    press(key) {
      if (key.chord === "escape") close("");
      else if (key.chord === "enter") close(input.text);
      else if (!body.press(key))
        input.press(key.chord === "paste" ? { ...key, text: (key.text ?? "").split(/[\r\n]/u, 1).join("") } : key);
      redraw();
      return true;
    },
    closed: () => input.set(""),
    draw({ columns, rows }) {
      const text = folded(escapeInvisible(prompt), columns - 2).map((line) => ` ${line}`);
      const line = input.draw(columns - 3);
      const lines = [
        titleLine(theme, texts.panels.secret.title(escapeInvisible(name)), "", columns),
        ...(rows > 3 ? body.visible(text, rows - 3) : []),
        ` ${theme.accent("●")} ${line.text}`,
        theme.dim(fit(` ${texts.panels.secret.hint}`, columns)),
      ];
      return { lines, cursor: { row: lines.length - 2, column: 3 + line.column } };
    },
  };
}
