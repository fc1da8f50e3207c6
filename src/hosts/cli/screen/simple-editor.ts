import { textWidth } from "../../../base/text/text-width.ts";
import type { Drawn, KeyPress, Space, Theme } from "./parts.ts";

/** One line of input. */
export function createSimpleEditor(theme: () => Theme, submit: (text: string) => void) {
  let text = "";
  return {
    press({ chord, text: typed }: KeyPress): boolean {
      if (chord === "enter") {
        const sent = text;
        text = "";
        if (sent.trim() !== "") submit(sent);
      } else if (chord === "backspace") text = text.slice(0, -1);
      else if (typed === undefined) return false;
      else text += typed.replaceAll("\n", " ");
      return true;
    },
    draw({ columns }: Space): Drawn {
      let shown = text;
      while (textWidth(shown) > columns - 3) shown = shown.slice(1);
      return {
        lines: [`${theme().paintAs("prompt", theme().promptSymbol)} ${shown}`],
        cursor: { row: 0, column: 2 + textWidth(shown) },
      };
    },
    get isEmpty() {
      return text === "";
    },
    clear() {
      text = "";
    },
    set(draft: string) {
      text = draft;
    },
  };
}
