import { err, ok, type Result } from "../base/result.ts";
import type { LoadedConfig } from "../config/load.ts";
import { type ConfigFault, type Problem, problemText } from "../config/problem.ts";
import type { setValues } from "../config/write.ts";
import type { OperationContext, OperationFault } from "../contracts/host/operation.ts";

type Changes = Parameters<typeof setValues>[1];

/** Writes settings to config.yaml. A value of `undefined` removes the setting. */
export async function writeSettings(
  { home }: LoadedConfig,
  changes: Changes,
  { signal, clock }: Pick<OperationContext, "signal" | "clock">,
): Promise<Result<{ readonly file: string; readonly changed: boolean }, OperationFault>> {
  const { setValues: write } = await import("../config/write.ts");
  const written = await write(home, changes, { signal, clock });
  return written.ok ? ok(written.value) : err(configFault(written.error));
}

/** Everything that is wrong with a configuration: each problem with its place, and what to do. */
export function configFault(fault: Problem | ConfigFault): OperationFault {
  const problems = "problems" in fault ? fault.problems : [fault];
  const again = "`hermes config check` shows it again; `hermes config edit` opens the file.";
  const [first, second] = problems;
  if (first !== undefined && second === undefined) {
    const { hint = again, ...problem } = first;
    return { message: problemText(problem), hint };
  }
  return { message: `The configuration cannot be used:\n  ${problems.map(problemText).join("\n  ")}`, hint: again };
}
