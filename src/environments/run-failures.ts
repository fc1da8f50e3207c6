import type { EnvironmentError, ExecOptions, ExecResult } from "../contracts/environment/environment.ts";

export const environmentClosed: EnvironmentError = {
  kind: "unreachable",
  message: "the environment was closed",
  hint: "Open a new one.",
};

export const interrupted: EnvironmentError = { kind: "unreachable", message: "interrupted" };

type Checked = Pick<ExecOptions, "env" | "cwd"> & Partial<Pick<ExecOptions, "timeoutMs">>;

/** Returns the reason why a shell cannot run this command. Undefined: it can. */
export function commandFault(
  command: string,
  { env = {}, cwd = "", timeoutMs = 1 }: Checked,
): EnvironmentError | undefined {
  const refused = (message: string): EnvironmentError => ({ kind: "refused", message });
  if (command.includes("\0") || cwd.includes("\0")) return refused("a command cannot contain NUL");
  if (!(timeoutMs > 0)) return refused("the time limit must be more than 0 ms");
  if (!command.isWellFormed()) return refused("the command is not valid text: it has half a surrogate pair in it");
  for (const [name, value] of Object.entries(env)) {
    if (!/^[^=\0]+$/u.test(name) || value.includes("\0"))
      return refused(`${JSON.stringify(name)} cannot be a variable`);
  }
  return undefined;
}

/** The result of a command, before its environment adds its own fields. */
export type RunResult = Omit<ExecResult, "cwd" | "carried" | "backend">;

/** The result of a command that was interrupted before its start. */
export function abortedBeforeStart(waitedMs: number): RunResult {
  const nothing = new Uint8Array();
  return { ended: "aborted", head: nothing, tail: nothing, totalBytes: 0, leftRunning: [], waitedMs, durationMs: 0 };
}

/**
 * The result of a command whose folder does not exist; such a command is not run elsewhere. `next`: the folder of the
 * next command, if it changed.
 */
export function missingFolderResult(missing: string, next: string | undefined): Omit<ExecResult, "cwd" | "backend"> {
  const then = next === undefined ? "" : ` The next command starts in ${next}.`;
  const head = Buffer.from(`The folder ${missing} does not exist; the command was not run.${then}\n`);
  return {
    ended: "exit",
    exitCode: 126,
    head,
    tail: new Uint8Array(),
    totalBytes: head.length,
    leftRunning: [],
    carried: false,
    waitedMs: 0,
    durationMs: 0,
  };
}
