/**
 * The analysis of one command line, made once before it runs. The effect resolver creates it; policy, checkpoints,
 * batching and the terminal tool read it. Valid for the shell state that it was made with.
 */
export interface CommandAnalysis {
  /**
   * True if the command writes no files and does not change the persistent shell state (folder, variables, functions).
   */
  readonly leavesNoTrace: boolean;
  readonly changes: ChangedPaths;
  /** Every `sudo` in the command line that would ask for a password. */
  readonly sudo: readonly SudoUse[];
}

/** The files that a command can change. Absolute paths as the command spells them; symbolic links are not resolved. */
export interface ChangedPaths {
  readonly paths: readonly string[];
  /**
   * The folders in `paths` whose content changes but which stay themselves, because the command uses a pattern such as
   * `folder/*`.
   */
  readonly contents?: readonly string[];
  /** True if the command changes nothing except `paths`. */
  readonly isAll: boolean;
  /** Folders in which the command starts programs that may change more files. */
  readonly folders: readonly string[];
}

/** A `sudo` that would ask for a password. */
export interface SudoUse {
  /**
   * The edit that makes `sudo` call the program in SUDO_ASKPASS. Positions are character offsets in the command line.
   */
  readonly edit: { readonly from: number; readonly to: number; readonly text: string };
  /** True if `sudo` would read the password from its input (`-S` after a pipe, a here-string or a file). */
  readonly readsGiven: boolean;
}
