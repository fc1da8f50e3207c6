import type { KeyPress } from "../parts.ts";
import type { EditorAction } from "./editor-actions.ts";
import type { TypedHistory } from "./typed-history.ts";

/** Incremental search in the history. */
export interface HistorySearch {
  readonly words: string;
  readonly match: string | undefined;
  /** True: the last key looked for another match, and there is none. */
  readonly isLast: boolean;
  /** `more`: the search continues; `take`: the match becomes the draft; `cancel`: the draft is restored. */
  press(key: KeyPress, action: EditorAction | undefined): "more" | "take" | "cancel" | "take-and-run";
}

export function createHistorySearch(history: TypedHistory): HistorySearch {
  let words = "";
  let index = 0;
  let match: string | undefined;
  let isLast = false;

  function look(from: number, direction: "older" | "newer"): void {
    const next = words === "" ? undefined : history.find(words, from, direction);
    isLast = next === undefined && match !== undefined;
    if (next) {
      index = next.index;
      match = history.lines[index];
    } else if (words === "") match = undefined;
  }

  return {
    get words() {
      return words;
    },
    get match() {
      return match;
    },
    get isLast() {
      return isLast;
    },
    press({ chord, text = "" }, action) {
      if (chord === "paste" || (text !== "" && action === undefined)) {
        words += text.replaceAll(/\s+/gu, " ");
        match = undefined;
        look(index, "older");
        return "more";
      }
      switch (action) {
        case "history_search":
        case "row_up":
          look(index + 1, "older");
          return "more";
        case "row_down":
          look(index - 1, "newer");
          return "more";
        case "delete_left":
          words = Array.from(words).slice(0, -1).join("");
          index = 0;
          match = undefined;
          look(0, "older");
          return "more";
        case "send":
        case "complete":
          return "take";
        case "cancel":
        case "edit_in_program":
          return "cancel";
        default:
          return chord === "ctrl+c" ? "cancel" : "take-and-run";
      }
    },
  };
}
