import { fit } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import type { KeyPress, Panel, Theme } from "../parts.ts";
import { foldedPreview } from "../pickers/picker-look.ts";
import type { PreviewLine } from "../pickers/picker-look.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createLineInput, type LineInput } from "./line-input.ts";
import { createScrollView, titleLine } from "./panel-layout.ts";

export interface TextViewParts {
  readonly title: string;
  readonly lines: readonly PreviewLine[];
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  close(): void;
  redraw(): void;
}

/**
 * Shows a long text that can be scrolled and searched: `/` asks for words, n and N go to the next and the previous
 * match.
 */
export function createTextView(parts: TextViewParts): Panel {
  const { theme, close, redraw } = parts;
  const texts = parts.texts.panels.textView;
  const scroll = createScrollView();
  let drawn:
    | { readonly columns: number; readonly lines: readonly string[]; readonly plain: readonly string[] }
    | undefined;
  let asking: LineInput | undefined;
  let words = "";
  let match = -1;

  function linesFor(columns: number) {
    if (drawn?.columns !== columns) {
      const plain = foldedPreview(
        parts.lines.map(({ text }) => ({ text })),
        columns,
      );
      drawn = { columns, lines: foldedPreview(parts.lines, columns), plain };
    }
    return drawn;
  }

  function find(step: number): void {
    const plain = drawn?.plain ?? [];
    if (words === "" || plain.length === 0) return;
    const searched = words.toLowerCase();
    for (let tried = 1; tried <= plain.length; tried++) {
      const index =
        ((((match < 0 ? (step > 0 ? -1 : 0) : match) + step * tried) % plain.length) + plain.length) % plain.length;
      if (plain[index]?.toLowerCase().includes(searched)) {
        match = index;
        return scroll.scrollTo(index - 2);
      }
    }
    match = -1;
  }

  function press(key: KeyPress): boolean {
    const name = key.text ?? key.chord;
    if (asking) {
      if (key.chord === "enter") {
        words = asking.text.trim();
        asking = undefined;
        match = -1;
        find(1);
      } else if (key.chord === "escape") asking = undefined;
      else asking.press(key);
    } else if (key.chord === "escape" || key.chord === "ctrl+c" || name === "q") close();
    else if (name === "/" || key.chord === "ctrl+f") asking = createLineInput({ initial: words });
    else if (name === "n") find(1);
    else if (name === "N") find(-1);
    else if (name === " ") scroll.press({ chord: "pagedown" });
    else if (name === "b") scroll.press({ chord: "pageup" });
    else if (name === "g") scroll.scrollTo(0);
    else if (name === "G") scroll.scrollTo(Number.MAX_SAFE_INTEGER);
    else if (!scroll.press(key, true)) return false;
    redraw();
    return true;
  }

  return {
    press,
    draw({ columns, rows }) {
      const { lines } = linesFor(columns);
      const visible = scroll.visible(lines, Math.max(1, rows - 2));
      const { above, below } = scroll.hidden;
      const shown = visible.map((line, index) =>
        above + index === match ? theme.paintAs("selection", drawn?.plain[match] ?? line) : line,
      );
      const place = above + below === 0 ? "" : texts.place(above + 1, above + visible.length, lines.length);
      const head = titleLine(theme, parts.title, place, columns);
      if (asking) {
        const input = asking.draw(columns - 2);
        return {
          lines: [head, ...shown, `/${input.text}`],
          cursor: { row: shown.length + 1, column: 1 + input.column },
        };
      }
      const noMatch = words !== "" && match < 0 ? `${texts.noMatch(withoutControls(words))} · ` : "";
      return { lines: [head, ...shown, theme.dim(fit(` ${noMatch}${texts.hint}`, columns))] };
    },
  };
}
