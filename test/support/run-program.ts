import { spawn } from "node:child_process";

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly uid?: number;
}

/** Runs a real program to its end. A program that takes too long is killed, and its code is null. */
export function runProgram(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      ...(options.uid !== undefined && { uid: options.uid }),
      // The test runner sets it in its children when its output is a terminal; programs under test have no terminal.
      env: { ...process.env, FORCE_COLOR: undefined, ...options.env },
      stdio: "pipe",
      timeout: options.timeoutMs ?? 300_000,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
  });
}
