import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { valueOr } from "../../src/base/result.ts";

/** A folder that simulates a rented machine. Commands really run, and all processes that they start can be killed. */
export interface HostedMachine extends AsyncDisposable {
  readonly folder: string;
  run(args: readonly string[], options: { readonly stdin: "pipe" | "ignore" }): ChildProcess;
  /** Ends every process of the machine, like switching it off. */
  kill(): Promise<void>;
}

/** With `from`, the machine starts with a copy of that folder's files. */
export async function hostedMachine(folder: string, from?: string): Promise<HostedMachine> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (from !== undefined) await cp(from, folder, { recursive: true, verbatimSymlinks: true, filter: isCopied });
  const temp = join(folder, "tmp");
  await mkdir(temp, { recursive: true });
  const started = new Set<ChildProcess>();
  const machine = {
    folder,
    run(args: readonly string[], { stdin }: { readonly stdin: "pipe" | "ignore" }) {
      const [program = "sh", ...rest] = args;
      const child = spawn(program, rest, {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, TMPDIR: temp },
        stdio: [stdin, "pipe", "pipe"],
        detached: true,
      });
      // The exit code reports that output had no reader, or that a program could not start.
      for (const part of [child, child.stdin, child.stdout, child.stderr]) part?.on("error", () => undefined);
      started.add(child);
      child.once("exit", () => started.delete(child));
      return child;
    },
    async kill() {
      for (const child of started) if (child.pid !== undefined) signal(-child.pid);
      for (let pids = processesOf(folder); pids.length > 0; pids = processesOf(folder)) {
        for (const pid of pids) signal(pid);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async [Symbol.asyncDispose]() {
      await machine.kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
  return machine;
}

/** Pipes and sockets belong to processes: they are not copied with the files. */
export async function isCopied(path: string): Promise<boolean> {
  const stat = await lstat(path).catch(() => undefined);
  return stat !== undefined && !stat.isFIFO() && !stat.isSocket();
}

/** Finds processes whose variables contain the folder: HOME and TMPDIR do. */
function processesOf(folder: string): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => valueOr(() => readFileSync(`/proc/${pid}/environ`, "utf8"), "").includes(folder));
}

function signal(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has ended.
  }
}
