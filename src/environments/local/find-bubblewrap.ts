import { execFile } from "node:child_process";
import { delimiter, isAbsolute, join } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { isProgram } from "./find-shell.ts";

/** The program bubblewrap where it is installed. */
export function bubblewrapIn(searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, "bwrap"))
    .find(isProgram);
}

export interface NotWorking {
  readonly message: string;
  /** It said so itself. Else it could not be asked: the machine is too busy. */
  readonly isCertain: boolean;
}

/**
 * Does it work here with these arguments? It takes a few milliseconds and is not interrupted: killed while it sets up, it would
 * leave a process behind that waits for it. Never rejects.
 */
export function tryBubblewrap(program: string, args: readonly string[]): Promise<Result<void, NotWorking>> {
  return new Promise((resolve) => {
    const options = { env: {}, cwd: "/", timeout: trialMs, killSignal: "SIGKILL" as const };
    execFile(program, [...args, "--", "/bin/sh", "-c", "exit 0"], options, (fault, _output, said) => {
      const why = oneLine(said.trim() || (fault?.message ?? ""), 200);
      const message = `bubblewrap (bwrap) does not work here: ${why}`;
      resolve(fault ? err({ message, isCertain: typeof fault.code === "number" }) : ok(undefined));
    });
  });
}

const trialMs = 10_000;
