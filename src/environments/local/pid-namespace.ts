import { constants } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";

import { waitFor } from "../../base/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment.ts";
import { type Exit, startProgram } from "../start-program.ts";
import { isProgram } from "./find-shell.ts";

/**
 * Runs programs in a PID namespace of their own, by bubblewrap. Everything in it is a descendant of the namespace's first
 * process, whatever it does, and gone with that one.
 */
export interface PidNamespace {
  /** The first process of each namespace is this program. */
  readonly program: string;
  wrap(program: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] };
}

/** Fails when bubblewrap is not there or this system does not let it work: then nothing runs. */
export async function findPidNamespace(
  searchPath: string,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<PidNamespace, EnvironmentError>> {
  const folders = [...searchPath.split(delimiter), "/usr/bin", "/usr/local/bin"].filter(isAbsolute);
  const program = folders.map((folder) => join(folder, "bwrap")).find(isProgram);
  if (program === undefined) return err(fault("bubblewrap (bwrap) was not found"));
  const wrap = (inner: string, args: readonly string[]) => ({ program, args: [...flags, inner, ...args] });
  const started = await startProgram({
    ...wrap("/bin/sh", ["-c", "exit 0"]),
    env: {},
    folder: "/",
    stdio: ["ignore", "ignore", "ignore"],
  });
  if (!started.ok) return err(fault(started.error.message));
  const waited = await waitFor(started.value.exited, { signal, ms: probeMs, clock });
  if (waited.how === "aborted") return err({ kind: "unreachable", message: "interrupted" });
  const isGood = waited.how === "done" && "exitCode" in waited.value && waited.value.exitCode === 0;
  return isGood ? ok({ program, wrap }) : err(fault("bubblewrap (bwrap) does not work on this system"));
}

/** All files and devices as they are. It does not die with its parent: what is left after the command is ended by name. */
const flags: readonly string[] = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--"];
const probeMs = 10_000;

function fault(message: string): EnvironmentError {
  return {
    kind: "misconfigured",
    message: `commands are to run in a PID namespace, and ${message}`,
    hint: "Install bubblewrap and allow user namespaces, or switch the PID namespace off.",
  };
}

/** The first process hands on a signal as 128 and its number; so does a shell whose program was ended by one. */
export function signalBehind(exit: Exit): Exit {
  if ("signal" in exit) return exit;
  const name = Object.entries(constants.signals).find(([, number]) => number === exit.exitCode - 128)?.[0];
  return name === undefined ? exit : { signal: name };
}
