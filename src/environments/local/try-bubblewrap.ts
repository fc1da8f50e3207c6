import type { Clock } from "../../base/clock.ts";
import { runProgram } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { PlannedMount } from "../../contracts/safety/isolation.ts";
import { startProgram } from "../start-program.ts";

export interface BubblewrapFault {
  readonly message: string;
  /**
   * True: bubblewrap reported the error itself. False: it could not run, for example because the machine is too busy.
   */
  readonly isCertain: boolean;
}

export interface BubblewrapTrial {
  readonly program: string;
  readonly args: readonly string[];
  /** Arguments that make bubblewrap wait until its mounts are verified. */
  readonly gateArguments: readonly string[];
  readonly mounts: readonly PlannedMount[];
}

/**
 * Checks that bubblewrap works with these arguments, and that its mounts can be verified. It takes a few milliseconds and
 * is not interrupted: killed during setup, it would leave a waiting process behind. Never rejects.
 */
export async function tryBubblewrap(
  { program, args, gateArguments, mounts }: BubblewrapTrial,
  clock: Clock,
): Promise<Result<void, BubblewrapFault>> {
  const { signal } = new AbortController();
  const command = ["--", "/bin/sh", "-c", "exit 0"];
  const start = { program, env: {} };
  const ran = await runProgram({
    ...start,
    args: [...args, ...command],
    cwd: "/",
    signal,
    timeoutMs: trialMs,
    clock,
  });
  if (ran.how !== "exit" || ran.code !== 0) {
    const why = ran.how === "unstarted" ? ran.message : "it did not answer in time";
    const reason = ran.how === "exit" ? ran.stderr.trim() || `exit code ${ran.code}` : why;
    return err(fault(reason, ran.how === "exit" && ran.code >= 0));
  }
  const stdio = ["ignore", "ignore", "ignore"] as const;
  const gated = await startProgram({
    ...start,
    mounts,
    args: [...args, ...gateArguments, ...command],
    folder: "/",
    stdio,
  });
  if (!gated.ok) return err(fault("its mounts cannot be verified", true));
  await gated.value.exited;
  return ok(undefined);
}

function fault(reason: string, isCertain: boolean): BubblewrapFault {
  return { message: `bubblewrap (bwrap) does not work here: ${oneLine(reason, 200)}`, isCertain };
}

const trialMs = 10_000;
