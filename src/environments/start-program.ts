import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";

import { codeOf } from "../base/files/file-fault.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { EnvironmentError } from "../contracts/environment/environment.ts";

export type Exit = { readonly exitCode: number } | { readonly signal: string };

export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Descriptors of ours, from its standard input on. They stay open here. */
  readonly stdio: readonly ("ignore" | number)[];
  /** Its descriptor 3 is written by us. Such a program does not keep this process alive. */
  readonly isFed?: boolean;
}

export interface StartedProgram {
  readonly pid: number;
  /** Of the program itself, not of what it left behind. */
  readonly exited: Promise<Exit>;
  /** Writes all of what it waits for. */
  feed?(input: string): void;
}

/** Starts a program in a session and process group of its own. */
export async function startProgram(start: ProgramStart): Promise<Result<StartedProgram, EnvironmentError>> {
  try {
    if (start.isFed) makeSureOfRoom();
    const child = spawn(start.program, start.args, {
      cwd: start.folder,
      env: start.env,
      detached: true,
      stdio: start.isFed ? [...start.stdio.slice(0, 3), "pipe", ...start.stdio.slice(4)] : [...start.stdio],
    });
    // The types do not know that it is a socket, and that there is none when there are too many open files.
    const fed = start.isFed ? (child.stdio as unknown as Partial<Record<number, Socket>> | undefined)?.[3] : undefined;
    // It is read as well, for its end. Who is gone reads nothing.
    fed
      ?.on("error", () => {})
      .resume()
      .unref();
    const exited = new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) =>
        resolve(code === null ? { signal: signal ?? "SIGKILL" } : { exitCode: code }),
      );
    });
    const { pid } = child;
    if (pid !== undefined) {
      child.on("error", () => {});
      if (fed) child.unref();
      return ok({ pid, exited, ...(fed && { feed: (input: string) => void fed.end(input) }) });
    }
    return await new Promise((resolve) => child.once("error", (thrown) => resolve(err(startFault(thrown, start)))));
  } catch (thrown) {
    return err(startFault(thrown, start));
  }
}

/** Node keeps the descriptors of a pipe when there are none for the rest of a start. Throws when there are too few. */
function makeSureOfRoom(): void {
  const held: number[] = [];
  try {
    while (held.length < neededDescriptors) held.push(openSync("/dev/null", "r"));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

const neededDescriptors = 8;

function startFault(thrown: unknown, { program }: ProgramStart): EnvironmentError {
  switch (codeOf(thrown)) {
    case "E2BIG":
      return {
        kind: "refused",
        message: "the command and its environment are too long for the system",
        hint: "Write the command to a file and run that, or unset large variables.",
      };
    case "EAGAIN":
    case "ENOMEM":
      return { kind: "unreachable", message: "the system takes no more processes", hint: "End some and try again." };
    case "EMFILE":
    case "ENFILE":
      return {
        kind: "unreachable",
        message: "too many open files",
        hint: "Raise the limit (ulimit -n) and try again.",
      };
    default:
      return { kind: "unreachable", message: `${program} could not be started: ${reasonOf(thrown)}` };
  }
}
