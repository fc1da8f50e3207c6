import type { ChildProcess } from "node:child_process";

import type { Clock } from "../clock.ts";
import { codeOf } from "../files/file-fault.ts";
import { reasonOf } from "../result.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Variables;
  readonly cwd?: string;
  /** The complete standard input. Default: empty. */
  readonly stdin?: Uint8Array;
  /** Keeps standard input open after `stdin` as long as both processes run. */
  readonly holdsInput?: boolean;
  readonly signal: AbortSignal;
  /** Whether an abort also kills the program's children, if they are in its group. */
  readonly killsGroup?: boolean;
  /**
   * Receives standard output as it arrives; copy the bytes to keep them. Return false to pause until `resume`
   * resolves.
   */
  readonly onOutput: (chunk: Uint8Array) => boolean;
  readonly resume: () => Promise<void>;
  readonly onErrorOutput: (chunk: Uint8Array) => void;
}

export type ProgramEnd =
  | { readonly how: "exit"; readonly code: number }
  | { readonly how: "killed"; readonly signal: string }
  /** The program could not be started. `code`: the system's error code, such as `ENOENT`. */
  | { readonly how: "unstarted"; readonly code: string; readonly message: string }
  | { readonly how: "aborted" };

/**
 * Runs a program to its end and passes on its output. The program has its own process group, so that Ctrl-C in the
 * user's terminal does not reach it. An abort kills it. Never rejects.
 */
export function streamProgram(run: ProgramRun): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const { program, args, env, cwd, signal } = run;
    const unstarted = (thrown: unknown) =>
      resolve({ how: "unstarted", code: codeOf(thrown), message: reasonOf(thrown) });
    if (signal.aborted) return resolve({ how: "aborted" });
    let child: ChildProcess;
    try {
      const { spawn } = process.getBuiltinModule("node:child_process");
      const stdio = [run.stdin === undefined && !run.holdsInput ? "ignore" : "pipe", "pipe", "pipe"] as const;
      child = spawn(program, args, { env: { ...env }, cwd, detached: true, stdio: [...stdio] });
    } catch (thrown) {
      return unstarted(thrown);
    }
    const { stdin, stdout, stderr } = child;
    const stop = () => {
      if (run.killsGroup) killGroup(child);
      else child.kill("SIGKILL");
      // Another process may have inherited the program's ends of the pipes.
      stdout?.destroy();
      stderr?.destroy();
    };
    signal.addEventListener("abort", stop);
    child.once("error", (thrown) => {
      signal.removeEventListener("abort", stop);
      unstarted(thrown);
    });
    // A program that ends before it has read all its input has not failed.
    stdin?.on("error", () => {});
    if (run.stdin !== undefined) stdin?.write(run.stdin);
    if (!run.holdsInput) stdin?.end();
    stdout?.on("data", (chunk: Uint8Array) => {
      if (run.onOutput(chunk)) return;
      stdout.pause();
      void run.resume().then(() => stdout.resume());
    });
    stderr?.on("data", (chunk: Uint8Array) => run.onErrorOutput(chunk));
    child.once("close", (code, name) => {
      signal.removeEventListener("abort", stop);
      if (signal.aborted) resolve({ how: "aborted" });
      else resolve(code === null ? { how: "killed", signal: name ?? "SIGKILL" } : { how: "exit", code });
    });
  });
}

function killGroup(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

export interface BoundedProgramRun extends Pick<
  ProgramRun,
  "program" | "args" | "env" | "cwd" | "stdin" | "signal" | "killsGroup"
> {
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Receives each line of both streams as it arrives. */
  readonly onLine?: (line: string) => void;
}

export type ProgramOutput =
  | { readonly how: "exit"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly how: "timeout" | "aborted" }
  | { readonly how: "unstarted"; readonly code: string; readonly message: string };

/**
 * Runs a program with short output and a timeout. Only the beginning of longer output is kept. A killed program has
 * the exit code -1. Never rejects.
 */
export async function runProgram(call: BoundedProgramRun): Promise<ProgramOutput> {
  const { program, args, env, cwd, stdin, clock, timeoutMs } = call;
  const late = new AbortController();
  const output: { readonly stdout: Uint8Array[]; readonly stderr: Uint8Array[] } = { stdout: [], stderr: [] };
  const show = call.onLine && byLine(call.onLine);
  let keptBytes = 0;
  const keep = (chunks: Uint8Array[]) => (chunk: Uint8Array) => {
    show?.(chunk);
    if (keptBytes < maxOutputBytes) chunks.push(Uint8Array.from(chunk));
    keptBytes += chunk.length;
    return true;
  };
  using _timer = clock.after(timeoutMs, () => late.abort());
  const end = await streamProgram({
    program,
    args,
    env,
    ...(cwd !== undefined && { cwd }),
    ...(stdin && { stdin }),
    ...(call.killsGroup && { killsGroup: true }),
    signal: AbortSignal.any([call.signal, late.signal]),
    onOutput: keep(output.stdout),
    resume: async () => {},
    onErrorOutput: keep(output.stderr),
  });
  if (end.how === "aborted") return { how: call.signal.aborted ? "aborted" : "timeout" };
  if (end.how === "unstarted") return end;
  const [stdout, stderr] = [Buffer.concat(output.stdout).toString(), Buffer.concat(output.stderr).toString()];
  if (end.how === "killed") return { how: "exit", code: -1, stdout, stderr: `killed by ${end.signal}` };
  return { how: "exit", code: end.code, stdout, stderr };
}

const maxOutputBytes = 64 * 2 ** 20;

function byLine(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString()).split(/[\r\n]+/u);
    rest = (lines.pop() ?? "").slice(-1_000);
    for (const line of lines) if (line.trim() !== "") onLine(line.trim());
  };
}
