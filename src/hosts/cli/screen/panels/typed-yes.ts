import type { Clock } from "../../../../base/clock.ts";
import type { KeyPress } from "../parts.ts";
import { isTyped } from "./panel-stack.ts";

/** Recognises `y` and `yes` at a question, as in the plain chat. Disposing forgets what was typed. */
export interface TypedYes extends Disposable {
  /**
   * Handles a key. True: it may be part of an answer. False: it continues another word that starts with `y`. Undefined:
   * it has nothing to do with it.
   */
  press(key: KeyPress): boolean | undefined;
}

export interface TypedYesParts {
  readonly clock: Clock;
  answer(): void;
  /** Passes letters of another word to the draft. */
  typeElsewhere?(key: KeyPress): void;
}

/** A `y` without a letter after it within this time is an answer. */
const yesMs = 250;

export function createTypedYes({ clock, answer, typeElsewhere }: TypedYesParts): TypedYes {
  let typed = "";
  let timer: Disposable | undefined;

  /** Returns the letters so far. */
  function forget(): string {
    const before = typed;
    timer?.[Symbol.dispose]();
    typed = "";
    return before;
  }

  return {
    press(key) {
      const before = forget();
      if (before !== "" && key.chord === "enter") {
        answer();
        return true;
      }
      if (!isTyped(key)) return undefined;
      const text = `${before}${key.text}`;
      if ("yes".startsWith(text.toLowerCase())) {
        typed = text;
        timer = clock.after(text.length === 3 ? 0 : yesMs, answer);
        return true;
      }
      for (const letter of before) typeElsewhere?.({ chord: letter.toLowerCase(), text: letter });
      return before === "" ? undefined : false;
    },
    [Symbol.dispose]: () => void forget(),
  };
}
