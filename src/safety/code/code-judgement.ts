import type { PathUse } from "../command/fact.ts";
import type { RuleId } from "../command/rules.ts";

export type CodeLanguage =
  | "python"
  | "javascript"
  | "perl"
  | "ruby"
  | "php"
  | "lua"
  | "awk"
  | "sed"
  | "vim"
  | "jq"
  | "sql";

/** The effects of a piece of code, as far as they are visible without running it. */
export interface CodeJudgement {
  /**
   * `computes`: reads, calculates and prints, or changes only the files in `paths`. `acts`: deletes, sends or starts
   * something. `unreadable`: it makes its own code while it runs, or cannot be followed.
   */
  readonly verdict: "computes" | "acts" | "unreadable";
  /** The worst first; empty when the code only computes. */
  readonly findings: readonly CodeFinding[];
  /** Texts that it passes to a shell, with holes for the unknown parts. */
  readonly shell: readonly string[];
  /** Programs that it starts without a shell. */
  readonly programs: readonly (readonly string[])[];
  readonly paths: readonly CodePath[];
}

export interface CodeFinding {
  readonly rule: RuleId;
  /** The words of the code that decided. */
  readonly words: string;
}

/** A file that the code uses. `path` has holes for unknown parts; a home folder is `/home/▯`. */
export interface CodePath {
  readonly how: PathUse;
  readonly path: string;
  readonly isRecursive: boolean;
}

/** The arguments and variables that the code starts with. */
export interface CodeStart {
  /** The words that it sees as its arguments, without its own name. */
  readonly args?: readonly string[];
  /** Variables that are set from outside: `awk -v name=value`. */
  readonly variables?: ReadonlyMap<string, string>;
}
