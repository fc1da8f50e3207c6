import type { ParsedScript, Word } from "unbash";

import type { ScriptState } from "./shell-state.ts";

/** What expanding a word needs of whoever walks the script. */
export interface Expansion {
  readonly state: ScriptState;
  /** The script in `$(…)` or backquotes runs, too. Its output without the newlines at the end; undefined: not known. */
  output(script: ParsedScript | undefined): string | undefined;
  /** The script in `<(…)` or `>(…)` runs, too. What the word becomes. */
  processSubstitution(script: ParsedScript | undefined, operator: "<" | ">"): string;
  /** A word within a word, such as the default in `${x:-word}`. */
  inner(word: Word): string;
}
