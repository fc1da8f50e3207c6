import { findProgram } from "../../base/process/find-program.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AgentCommand } from "../../providers/endpoint.ts";

/**
 * The reason why a program cannot be used, as far as this can be checked without starting it. Undefined: no problem was
 * detected.
 */
export function missingProgram(call: AgentCommand, { env }: LoadedConfig): string | undefined {
  return findProgram([call.command], env) === undefined ? missingProgramText(call) : undefined;
}

export function missingProgramText({ command, commandVars: [variable], install }: AgentCommand): string {
  const what = command.includes("/") ? `There is no program ${command}` : `The program ${command} is not on PATH`;
  return `${what}. Install it with \`${install}\`, or name it in ${variable}.`;
}
