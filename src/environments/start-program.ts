import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import type { Socket } from "node:net";

import { codeOf } from "../base/files/file-fault.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { EnvironmentError } from "../contracts/environment/environment.ts";
import { gateDescriptors, type PlannedMount } from "../contracts/safety/isolation.ts";
import { passGate } from "./sandbox-gate.ts";

export type Exit = { readonly exitCode: number } | { readonly signal: string };

export interface ProgramStart {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Our descriptors, starting with the standard input of the program. They stay open here. */
  readonly stdio: readonly ("ignore" | number)[];
  /** True: this process writes to descriptor 3 of the program. Such a program does not keep this process alive. */
  readonly isFed?: boolean;
  /** The program is a sandbox with these mounts, which are verified before it runs a command. */
  readonly mounts?: readonly PlannedMount[] | undefined;
}

export interface StartedProgram {
  readonly pid: number;
  /** The exit of the program itself, not of processes that it left running. */
  readonly exited: Promise<Exit>;
  /** Writes the input that the program waits for. */
  feed?(input: string): void;
}

/** Starts a program in its own session and process group. */
export async function startProgram(start: ProgramStart): Promise<Result<StartedProgram, EnvironmentError>> {
  try {
    if (start.isFed || start.mounts) makeSureOfRoom();
    const child = spawn(start.program, start.args, {
      cwd: start.folder,
      env: start.env,
      detached: true,
      stdio: descriptorsOf(start),
    });
    // The cast adds two facts that Node's types lack: the stream is a socket, and it is missing when too many files are
    // open.
    const fed = start.isFed ? (child.stdio as unknown as Partial<Record<number, Socket>> | undefined)?.[3] : undefined;
    // Also reads from the socket, to detect its end: a program that has ended reads nothing.
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
      if (start.mounts && !(await passGate(child, start.mounts))) {
        await endNow(pid, exited);
        return err(sandboxRace);
      }
      return ok({ pid, exited, ...(fed && { feed: (input: string) => void fed.end(input) }) });
    }
    return await new Promise((resolve) => child.once("error", (thrown) => resolve(err(startFault(thrown, start)))));
  } catch (thrown) {
    return err(startFault(thrown, start));
  }
}

/** Whether to set up a sandbox again with new mounts: the mounted files have changed meanwhile. */
export function shouldRetry(started: Result<unknown, EnvironmentError>, tries: number): boolean {
  return !started.ok && started.error.isRace === true && tries < maxTries;
}

const maxTries = 16;

function descriptorsOf({ stdio, isFed, mounts }: ProgramStart): ("ignore" | "pipe" | number)[] {
  const all: ("ignore" | "pipe" | number)[] = [...stdio];
  const piped = [...(isFed ? [3] : []), ...(mounts ? Object.values(gateDescriptors) : [])];
  while (all.length <= Math.max(...piped)) all.push("ignore");
  for (const fd of piped) all[fd] = "pipe";
  return all;
}

async function endNow(pid: number, exited: Promise<Exit>): Promise<void> {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The program has already ended.
  }
  await exited;
}

const sandboxRace: EnvironmentError = {
  kind: "unreachable",
  message: "the sandbox could not be set up, because a file or folder that it mounts was replaced meanwhile",
  hint: "A background process may be replacing it. End the background processes, then try again.",
  isRace: true,
};

/**
 * Node leaks the descriptors of a pipe if the rest of a start fails for lack of descriptors. Throws if too few are
 * left.
 */
function makeSureOfRoom(): void {
  const held: number[] = [];
  try {
    while (held.length < neededDescriptors) held.push(openSync("/dev/null", "r"));
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

const neededDescriptors = 12;

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
      return {
        kind: "unreachable",
        message: "the system cannot start more processes",
        hint: "End some processes and try again.",
      };
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
