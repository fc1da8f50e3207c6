import type { Clock } from "../../base/clock.ts";
import { runProgram } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";

export interface BubblewrapFault {
  readonly message: string;
  /** True: bubblewrap reported the error itself. Otherwise it could not run: the machine is too busy. */
  readonly isCertain: boolean;
}

/**
 * Checks that bubblewrap works with these arguments. It takes a few milliseconds and is not interrupted: killed during
 * setup, it would leave a waiting process behind. Never rejects.
 */
export async function tryBubblewrap(
  program: string,
  args: readonly string[],
  clock: Clock,
): Promise<Result<void, BubblewrapFault>> {
  const { signal } = new AbortController();
  const trial = [...args, "--", "/bin/sh", "-c", "exit 0"];
  const ran = await runProgram({ program, args: trial, env: {}, cwd: "/", signal, timeoutMs: trialMs, clock });
  if (ran.how === "exit" && ran.code === 0) return ok(undefined);
  const why = ran.how === "unstarted" ? ran.message : "it did not answer in time";
  const message = `bubblewrap (bwrap) does not work here: ${oneLine(ran.how === "exit" ? ran.stderr.trim() || `exit code ${ran.code}` : why, 200)}`;
  return err({ message, isCertain: ran.how === "exit" && ran.code >= 0 });
}

const trialMs = 10_000;
