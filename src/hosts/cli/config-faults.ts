import type { Result } from "../../base/result.ts";
import { type ConfigFault, type Problem, problemText } from "../../config/problem.ts";
import { CommandFailed } from "./command.ts";

/** The value, or the end of the command with everything that is wrong: each problem with its place, and what to do. */
export function valueOf<T>(result: Result<T, Problem | ConfigFault>): T {
  if (result.ok) return result.value;
  const problems = "problems" in result.error ? result.error.problems : [result.error];
  const again = "`hermes config check` shows it again; `hermes config edit` opens the file.";
  const [first, second] = problems;
  if (first !== undefined && second === undefined) {
    const { hint, ...problem } = first;
    throw new CommandFailed(problemText(problem), hint ?? again);
  }
  throw new CommandFailed(`The configuration cannot be used:\n  ${problems.map(problemText).join("\n  ")}`, again);
}
