import type { ParsedScript, Word } from "unbash";

import type { CommandSpan } from "./field.ts";
import type { ScriptState } from "./shell-state.ts";
import type { Input } from "./simple-command.ts";

/** The operations that expanding a word needs from the walker. */
export interface WordExpansion {
  readonly state: ScriptState;
  /** The script in `$(…)` or backquotes runs, too. Its output without the newlines at the end; undefined: not known. */
  output(script: ParsedScript | undefined): string | undefined;
  /** The script in `<(…)` or `>(…)` runs, too. Returns the resulting word. */
  processSubstitution(script: ParsedScript | undefined, operator: "<" | ">"): string;
  /** A word within a word, such as the default in `${x:-word}`. */
  inner(word: Word): string;
  /** A text that the shell expands once more, as in double quotes. */
  again(text: string): string;
  /** The shell evaluates this, and its value is not known. */
  doubt(about: string): void;
}

/** Where and how a piece of a script is walked. */
export interface WalkPosition {
  readonly state: ScriptState;
  readonly via: readonly string[];
  readonly stdin: Input;
  readonly isBackground: boolean;
  readonly depth: number;
  /** Positions refer to the original text. */
  readonly isGiven: boolean;
  /** How many conditions decide whether it runs at all. */
  readonly conditions: number;
}

/** The place of a word in the original text, if it occurs there. */
export function spanOf(word: Word, position: WalkPosition): { readonly at?: CommandSpan } {
  return position.isGiven ? { at: { start: word.pos, end: word.end } } : {};
}
