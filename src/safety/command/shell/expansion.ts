import type { ParsedScript, Word } from "unbash";

import type { CommandSpan } from "./field.ts";
import type { ScriptState } from "./shell-state.ts";
import type { Input } from "./simple-command.ts";

/** The operations that expanding a word needs from the walker. */
export interface WordExpansion {
  readonly state: ScriptState;
  /**
   * Walks the script of `$(…)` or backquotes and returns its output without trailing newlines. Undefined if unknown.
   */
  output(script: ParsedScript | undefined): string | undefined;
  /** Walks the script of `<(…)` or `>(…)` and returns the resulting word. */
  processSubstitution(script: ParsedScript | undefined, operator: "<" | ">"): string;
  /** Expands a word within a word, such as the default in `${x:-word}`. */
  inner(word: Word): string;
  /** Expands a text again, as in double quotes. */
  again(text: string): string;
  /** Returns whether the shell certainly expands braces. `sh` may not. */
  hasBraces(): boolean;
  /** Reports that the shell evaluates an unknown value. */
  doubt(about: string): void;
}

/** The position of the walker in a script, and its context. */
export interface WalkPosition {
  readonly state: ScriptState;
  readonly via: readonly string[];
  readonly stdin: Input;
  readonly isBackground: boolean;
  readonly depth: number;
  /** True if positions refer to the original text. */
  readonly isGiven: boolean;
  /** The number of conditions that decide whether this code runs. */
  readonly conditions: number;
}

/** Returns the position of a word in the original text, if it occurs there. */
export function spanOf(word: Word, position: WalkPosition): { readonly at?: CommandSpan } {
  return position.isGiven ? { at: { start: word.pos, end: word.end } } : {};
}
