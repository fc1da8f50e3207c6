import { err, type Result } from "../../base/result.ts";
import { type ConfigFault, type Problem, problemText } from "../../config/problem.ts";
import type { OperationFault } from "../../contracts/host/operation.ts";

/** Lists every problem of the configuration with its position and a fix. */
export function configFault(error: Problem | ConfigFault): OperationFault {
  const problems = "problems" in error ? error.problems : [error];
  const next = "`hermes config check` lists the problems; `hermes config edit` opens the file.";
  const [first, second] = problems;
  if (first !== undefined && second === undefined) {
    const { hint, ...problem } = first;
    return { message: problemText(problem), hint: hint ?? next };
  }
  return { message: `The configuration cannot be used:\n  ${problems.map(problemText).join("\n  ")}`, hint: next };
}

/** Passes a value on, and turns problems of the configuration into a fault. */
export function configOutcome<T>(result: Result<T, Problem | ConfigFault>): Result<T, OperationFault> {
  return result.ok ? result : err(configFault(result.error));
}
