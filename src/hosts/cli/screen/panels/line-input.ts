import { once } from "../../../../base/async/once.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { KeyPress } from "../parts.ts";
import { isTyped } from "./panel-stack.ts";

/** A line of text that a person edits in a panel. */
export interface LineInput {
  readonly text: string;
  set(text: string): void;
  /** False: the key does not edit a line. */
  press(key: KeyPress): boolean;
  /** The part around the cursor that fits. `column`: the column of the cursor. */
  draw(columns: number): { readonly text: string; readonly column: number };
}

/** `isHidden`: shows a dot for each character. */
export function createLineInput({ initial = "", isHidden = false } = {}): LineInput {
  /** User-perceived characters (grapheme clusters). */
  let before = characters(initial);
  let after: readonly string[] = [];

  function insert(text: string): void {
    before = characters(before.join("") + text);
  }

  const edits: Readonly<Record<string, () => void>> = {
    backspace: () => void (before = before.slice(0, -1)),
    "ctrl+h": () => void (before = before.slice(0, -1)),
    delete: () => void (after = after.slice(1)),
    "ctrl+d": () => void (after = after.slice(1)),
    left: () => move(before.length - 1),
    "ctrl+b": () => move(before.length - 1),
    right: () => move(before.length + 1),
    "ctrl+f": () => move(before.length + 1),
    home: () => move(0),
    "ctrl+a": () => move(0),
    end: () => move(before.length + after.length),
    "ctrl+e": () => move(before.length + after.length),
    "ctrl+u": () => void (before = []),
    "ctrl+k": () => void (after = []),
    "ctrl+w": eraseWord,
    "alt+backspace": eraseWord,
    "ctrl+left": () => move(wordStart()),
    "alt+b": () => move(wordStart()),
    "ctrl+right": () => move(wordEnd()),
    "alt+f": () => move(wordEnd()),
  };

  function move(to: number): void {
    const all = [...before, ...after];
    const index = Math.min(Math.max(0, to), all.length);
    before = all.slice(0, index);
    after = all.slice(index);
  }

  function wordStart(): number {
    return before.join("").trimEnd() === ""
      ? 0
      : characters(/^.*?(?=\S+\s*$)/su.exec(before.join(""))?.[0] ?? "").length;
  }

  function wordEnd(): number {
    return before.length + characters(/^\s*\S*/u.exec(after.join(""))?.[0] ?? "").length;
  }

  function eraseWord(): void {
    before = before.slice(0, wordStart());
  }

  const shown = (character: string) => (isHidden ? "•" : escapeInvisible(character));

  return {
    get text() {
      return [...before, ...after].join("");
    },
    set(text) {
      before = characters(text);
      after = [];
    },
    press(key) {
      if (key.chord === "paste") insert((key.text ?? "").replaceAll(/\s*[\r\n]+\s*/gu, " "));
      else if (Object.hasOwn(edits, key.chord)) edits[key.chord]?.();
      else if (isTyped(key)) insert(key.text ?? "");
      else return false;
      return true;
    },
    draw(columns) {
      const room = Math.max(1, columns - 1);
      let left = "";
      let width = 0;
      for (const character of before.slice(-room).toReversed()) {
        const cells = textWidth(shown(character));
        if (width + cells > room) break;
        left = shown(character) + left;
        width += cells;
      }
      let right = "";
      let used = width;
      for (const character of after.slice(0, room)) {
        const cells = textWidth(shown(character));
        if (used + cells > room) break;
        right += shown(character);
        used += cells;
      }
      return { text: left + right, column: width };
    },
  };
}

const segmenter = once(() => new Intl.Segmenter(undefined, { granularity: "grapheme" }));

function characters(text: string): readonly string[] {
  return Array.from(segmenter().segment(text), ({ segment }) => segment);
}
