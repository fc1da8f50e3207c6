import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
}

/** With these flags a program that runs from source shares the compiled modules of the tests. */
export const sourceFlags = ["--import", join(import.meta.dirname, "load-sources.mjs")] as const;

/** Runs module code in a separate Node process in `folder`: `./x.ts` is the file there. */
export function inChild(folder: string, code: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", code, ...args], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
    child.once("close", (code) => resolve({ code, output: Buffer.concat(chunks).toString() }));
  });
  return { process: child, ended };
}

/** Kills the child processes, whatever `run` does, and waits until they have ended. */
export async function runAll(children: readonly Child[], run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    for (const child of children) child.process.kill("SIGKILL");
    await Promise.all(children.map((child) => child.ended));
  }
}

/** A zombie process does not count. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
