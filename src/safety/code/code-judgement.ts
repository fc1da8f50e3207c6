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

/** The effects of a piece of code, as far as they can be determined without running it. */
export interface CodeJudgement {
  /**
   * `computes`: the code reads, calculates and prints, or changes only the files in `paths`. `acts`: it deletes, sends
   * or starts something. `unreadable`: it generates code at run time, or the analysis cannot follow it.
   */
  readonly verdict: "computes" | "acts" | "unreadable";
  /** The findings, the most severe first. Empty if the code only computes. */
  readonly findings: readonly CodeFinding[];
  /** Texts that the code passes to a shell. Unknown parts are marked as holes. */
  readonly shell: readonly string[];
  /** Programs that the code starts without a shell. */
  readonly programs: readonly (readonly string[])[];
  readonly paths: readonly CodePath[];
}

export interface CodeFinding {
  readonly rule: RuleId;
  /** The part of the code that caused the finding. */
  readonly words: string;
}

/** A file that the code uses. Unknown parts of `path` are marked as holes; a home folder is `/home/▯`. */
export interface CodePath {
  readonly how: PathUse;
  readonly path: string;
  readonly isRecursive: boolean;
}

/** The arguments and variables with which the code starts. */
export interface CodeStart {
  /** The arguments that the code receives, without its own name. */
  readonly args?: readonly string[];
  /** Variables that are set by the command line, as in `awk -v name=value`. */
  readonly variables?: ReadonlyMap<string, string>;
}
