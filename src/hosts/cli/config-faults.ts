import type { Result } from "../../base/result.ts";
import { type ConfigFault, type Problem, problemText } from "../../config/problem.ts";
import { CommandFailed } from "./command.ts";

/** The value, or the end of the command with everything that is wrong: each problem with its place, and what to do. */
export function valueOf<T>(result: Result<T, Problem | ConfigFault>): T {
  if (result.ok) return result.value;
  const problems = "problems" in result.error ? result.error.problems : [result.error];
  const lines = problems.map(({ hint: _, ...problem }) => problemText(problem));
  const hints = new Set(problems.flatMap(({ hint }) => hint ?? []));
  throw new CommandFailed(
    lines.length === 1 ? (lines[0] ?? "") : `The configuration cannot be used:\n  ${lines.join("\n  ")}`,
    [...hints].join("\n") || "`hermes config check` shows it again; `hermes config edit` opens the file.",
  );
}
