import { type EditState, emptyState } from "./edit-state.ts";

/** The states of a draft. Characters that are typed one after the other are one step. */
export interface UndoSteps {
  readonly now: EditState;
  /** `typed`: joins the previous step, if that was typed too. Moving the cursor alone is not a step. */
  change(next: EditState, kind?: "typed"): void;
  undo(): boolean;
  redo(): boolean;
  /** Number of steps that can be undone. */
  readonly count: number;
  /** Joins all steps after the first `count` into one step. */
  join(count: number): void;
  /** Restarts with this state and no steps. */
  reset(state?: EditState): void;
}

const maxSteps = 500;
/** Maximum number of characters in all steps together. */
const maxChars = 8_000_000;

export function createUndoSteps(): UndoSteps {
  let now = emptyState;
  let past: EditState[] = [];
  let future: EditState[] = [];
  let isTyping = false;

  function remember(): void {
    past.push(now);
    let chars = past.reduce((sum, { text }) => sum + text.length, 0);
    while (past.length > 1 && (past.length > maxSteps || chars > maxChars)) chars -= past.shift()?.text.length ?? 0;
  }

  return {
    get now() {
      return now;
    },
    change(next, kind) {
      if (next.text === now.text) {
        isTyping &&= next.cursor === now.cursor;
        now = next;
        return;
      }
      if (kind !== "typed" || !isTyping) remember();
      future = [];
      now = next;
      // A space ends the step, so that each word is a separate step.
      isTyping = kind === "typed" && !/\s$/u.test(next.text.slice(0, next.cursor));
    },
    undo() {
      const previous = past.pop();
      if (!previous) return false;
      future.push(now);
      now = previous;
      isTyping = false;
      return true;
    },
    redo() {
      const next = future.pop();
      if (!next) return false;
      past.push(now);
      now = next;
      isTyping = false;
      return true;
    },
    get count() {
      return past.length;
    },
    join(count) {
      past = past.slice(0, count + 1);
      isTyping = false;
    },
    reset(state = emptyState) {
      now = state;
      past = [];
      future = [];
      isTyping = false;
    },
  };
}
