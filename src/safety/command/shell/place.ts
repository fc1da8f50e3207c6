import type { Word } from "unbash";

import { hole, type Span } from "./field.ts";
import type { ScriptState } from "./shell-state.ts";
import type { Input } from "./simple-command.ts";

/** Where a piece of a script is walked. */
export interface Place {
  readonly state: ScriptState;
  readonly via: readonly string[];
  readonly stdin: Input;
  readonly isBackground: boolean;
  readonly depth: number;
  /** Positions are those of the text that was given. */
  readonly isGiven: boolean;
  /** How many conditions decide whether it runs at all. */
  readonly conditions: number;
}

/** Where a word stands in the text that was given, if it stands there. */
export function spanOf(word: Word, place: Place): { readonly at?: Span } {
  return place.isGiven ? { at: { start: word.pos, end: word.end } } : {};
}

/** No input that is known, from nobody. */
export const nothing: Input = { from: [] };

/** Input that is there and not known, such as what is written to `>(…)`. */
export const something: Input = { text: hole, from: [] };
