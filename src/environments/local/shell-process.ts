import { spawn } from "node:child_process";
import { closeSync } from "node:fs";

import { codeOf } from "../../base/file-fault.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { EnvironmentError } from "../../contracts/environment.ts";
import { type OutputReader, readPipe } from "./output-reader.ts";
import { type Pipe, pipeFault } from "./pipes.ts";
import { type ProcessTree, processTree, type TreeDeps } from "./process-tree.ts";

/** One shell that runs one command, in a session and process group of its own, both outputs in one pipe. */
export interface ShellProcess {
  readonly tree: ProcessTree;
  /** Of the shell itself, not of what it left behind. */
  readonly exited: Promise<Exit>;
  readonly output: OutputReader;
}

export type Exit = { readonly exitCode: number } | { readonly signal: string };

export interface ShellStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly marker: string;
  readonly pipe: Pipe;
  /** A descriptor that becomes standard input; closed here. Otherwise there is none to read from. */
  readonly stdin?: number;
  readonly take: (chunk: Uint8Array) => boolean;
}

export async function startShell(start: ShellStart, deps: TreeDeps): Promise<Result<ShellProcess, EnvironmentError>> {
  let ends: { readonly ours: number; readonly childs: number };
  try {
    ends = start.pipe.forOutput();
  } catch (thrown) {
    if (start.stdin !== undefined) closeSync(start.stdin);
    return err({ kind: "unreachable", message: pipeFault(thrown, "the pipe for output") });
  }
  const started = await begin(start, ends.childs);
  closeSync(ends.childs);
  if (start.stdin !== undefined) closeSync(start.stdin);
  if (!started.ok) {
    closeSync(ends.ours);
    return started;
  }
  const { pid, exited } = started.value;
  return ok({
    tree: processTree(pid, start.marker, deps),
    exited,
    output: readPipe(ends.ours, start.pipe.buffer, start.take),
  });
}

interface Started {
  readonly pid: number;
  readonly exited: Promise<Exit>;
}

async function begin(start: ShellStart, output: number): Promise<Result<Started, EnvironmentError>> {
  try {
    const child = spawn(start.program, start.args, {
      cwd: start.cwd,
      env: start.env,
      detached: true,
      stdio: [start.stdin ?? "ignore", output, output],
    });
    const exited = new Promise<Exit>((resolve) => {
      child.once("exit", (code, signal) =>
        resolve(code === null ? { signal: signal ?? "SIGKILL" } : { exitCode: code }),
      );
    });
    const { pid } = child;
    if (pid !== undefined) {
      child.on("error", () => {});
      return ok({ pid, exited });
    }
    return await new Promise((resolve) => child.once("error", (thrown) => resolve(err(startFault(thrown, start)))));
  } catch (thrown) {
    return err(startFault(thrown, start));
  }
}

function startFault(thrown: unknown, { program }: ShellStart): EnvironmentError {
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
