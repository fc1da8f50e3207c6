/** Something wrong in a configuration file, an environment value or a flag, and where. Lines and columns start at 1. */
export interface Problem {
  readonly message: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
  /** The next step for the user. */
  readonly hint?: string;
}

/** Why the configuration must not be used. Never empty. */
export interface ConfigFault {
  readonly problems: readonly Problem[];
}

/** Formats a problem: `config.yaml:3:5: approvals.mode: must be one of …`, followed by the hint. */
export function problemText(problem: Problem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(":");
  const output = [place, problem.key, problem.message].filter((part) => part !== undefined && part !== "").join(": ");
  return problem.hint === undefined ? output : `${output} (${problem.hint})`;
}
