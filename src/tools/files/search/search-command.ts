import { linkAbort } from "../../../base/async/abort.ts";
import type { Clock } from "../../../base/clock.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { quoteForShell } from "../../../base/text/shell-quote.ts";
import type { Environment } from "../../../contracts/environment/environment.ts";
import type { SearchFault } from "./search.ts";

/** Where a search runs, and how long it may take with all its commands. */
export interface SearchPlace {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** In the time of `clock.elapsed()`. */
  readonly until: number;
}

export interface SearchCommand {
  readonly cwd: string;
  readonly stdin?: Uint8Array;
  /** Output as it comes. False: enough, the command is ended. */
  readonly onOutput: (chunk: Uint8Array) => boolean;
  /** Also when the time for the search is over there is this much. */
  readonly leastMs?: number;
}

/** How a command of a search ended. `enough`: by `onOutput`. */
export type CommandEnd = { readonly how: "exit"; readonly exitCode: number } | { readonly how: "time" | "enough" };

/** Runs a command that changes nothing. Interrupted or not run is a fault. */
export async function runSearchCommand(
  script: string,
  { cwd, stdin, onOutput, leastMs = 100 }: SearchCommand,
  { environment, clock, signal, until }: SearchPlace,
): Promise<Result<CommandEnd, SearchFault>> {
  using link = linkAbort(signal);
  let isEnough = false;
  const ran = await environment.exec(script, {
    cwd,
    signal: link.signal,
    timeoutMs: Math.max(leastMs, until - clock.elapsed()),
    carry: false,
    env: plainEnvironment,
    ...(stdin && { stdin }),
    onOutput(chunk) {
      if (isEnough || onOutput(chunk)) return;
      isEnough = true;
      link.abort();
    },
  });
  if (!ran.ok) {
    const { message, hint } = ran.error;
    return err({ kind: "failed", message: `${message}.${hint === undefined ? "" : ` ${hint}`}` });
  }
  const { ended, exitCode, spillPath, fault } = ran.value;
  if (spillPath !== undefined) await environment.files.delete(spillPath, signal);
  if (signal.aborted) return err({ kind: "aborted", message: "interrupted" });
  if (isEnough) return ok({ how: "enough" });
  if (ended === "timeout") return ok({ how: "time" });
  if (ended === "exit") return ok({ how: "exit", exitCode: exitCode ?? 0 });
  return err({ kind: "failed", message: fault ?? `the search command ended by ${ran.value.signal ?? ended}` });
}

export function shellWords(words: readonly string[]): string {
  return words.map(quoteForShell).join(" ");
}

/** Messages in English. */
const plainEnvironment = { LC_ALL: "C" } as const;
