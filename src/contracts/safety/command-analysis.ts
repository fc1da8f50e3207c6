/**
 * The analysis of one command line, made once before it runs. The effect resolver creates it; policy, checkpoints,
 * batching and the terminal tool read it. Valid for the shell state that it was made with.
 */
export interface CommandAnalysis {
  /** The command writes nothing and does not change the persistent shell state (folder, variables, functions). */
  readonly leavesNoTrace: boolean;
  readonly changes: ChangedPaths;
  /** Every `sudo` in the command line that would ask for a password. */
  readonly sudo: readonly SudoUse[];
}

/** The files that a command can change. Absolute paths as the command spells them; links are not followed. */
export interface ChangedPaths {
  readonly paths: readonly string[];
  /** The folders in `paths` of which only the content changes, because the command names it by patterns. */
  readonly contents?: readonly string[];
  /** The command changes nothing except `paths`. */
  readonly isAll: boolean;
  /** Folders in which programs run that may change more. */
  readonly folders: readonly string[];
}

/** A `sudo` that would ask for a password. */
export interface SudoUse {
  /** Makes it call the program that SUDO_ASKPASS names. Character offsets in the command line. */
  readonly edit: { readonly from: number; readonly to: number; readonly text: string };
  /** It would read the password from its input (`-S` after a pipe, a here-string or a file). */
  readonly readsGiven: boolean;
}
