import type { Clock } from "../../base/clock.ts";
import { findProgram } from "../../base/process/find-program.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { runProgram, type ProgramOutput } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plainText } from "../../base/text/ansi.ts";
import type { LinkFault } from "../remote/link.ts";

/** The apptainer or singularity command. */
export interface RuntimeProgram {
  readonly program: string;
  readonly env: Variables;
  /** Resource limits to use. A limit that this machine rejects is removed from the set. */
  readonly limits: { isRefused: boolean };
  call(
    args: readonly string[],
    limits: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<ProgramOutput>;
}

export async function findRuntime(
  env: Variables,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<RuntimeProgram, LinkFault>> {
  const program = findProgram(["apptainer", "singularity"], env);
  if (program === undefined) {
    return err({
      how: "misconfigured",
      message: "neither apptainer nor singularity was found on PATH",
      hint: "Install apptainer, or load its module, then try again.",
    });
  }
  const call: RuntimeProgram["call"] = (args, limits) => runProgram({ program, args, env, clock, ...limits });
  const answer = await call(["version"], { signal, timeoutMs: checkMs });
  if (answer.how !== "exit" || answer.code !== 0) return err(runtimeFault(answer, program, "version"));
  return ok({ program, env, call, limits: { isRefused: false } });
}

const checkMs = 10_000;

export function runtimeFault(answer: ProgramOutput, program: string, action: string): LinkFault {
  switch (answer.how) {
    case "aborted":
      return { how: "aborted" };
    case "timeout":
      return {
        how: "broken",
        message: `${program} ${action} took too long`,
        hint: "Check whether its file system hangs, then try again.",
      };
    case "unstarted":
      return { how: "misconfigured", message: `${program} could not be started: ${answer.message}` };
    case "exit":
      return { how: "broken", message: `${program} ${action} failed: ${reasonIn(answer.stderr || answer.stdout)}` };
  }
}

/** The line with the reason, without colors. */
export function reasonIn(words: string): string {
  const lines = plainText(words).trim().split("\n");
  const fatal = lines.findLast((line) => /^(?:FATAL|ERROR)/u.test(line)) ?? lines.at(-1);
  return (fatal ?? "").replace(/^(?:FATAL|ERROR):\s*/u, "").slice(0, 500) || "no error message";
}
