import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { codeOf } from "../base/files/file-fault.ts";
import { reasonOf } from "../base/result.ts";
import type { LinkStreams } from "./remote/link.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** The command of a backend, such as `docker exec`, and all it prints while it runs. */
export interface ClientRun extends LinkStreams {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Variables;
}

export type ClientEnd =
  | { readonly how: "exit"; readonly code: number }
  /** Somebody else killed it. */
  | { readonly how: "killed"; readonly signal: string }
  /** It was never started. `code`: of the system, such as `ENOENT`. */
  | { readonly how: "unstarted"; readonly code: string; readonly message: string }
  | { readonly how: "aborted" };

/**
 * Runs a client to its end; all it printed has been handed over by then. It has a process group of its own, so that Ctrl-C
 * at the user's terminal does not reach it. Aborted: it is killed. Never rejects.
 */
export function runClient({ program, args, env, ...streams }: ClientRun): Promise<ClientEnd> {
  return new Promise((resolve) => {
    const unstarted = (thrown: unknown) =>
      resolve({ how: "unstarted", code: codeOf(thrown), message: reasonOf(thrown) });
    if (streams.signal.aborted) return resolve({ how: "aborted" });
    let child: ChildProcess;
    try {
      const stdio = [streams.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"] as const;
      child = spawn(program, args, { env: { ...env }, detached: true, stdio: [...stdio] });
    } catch (thrown) {
      return unstarted(thrown);
    }
    const stop = () => {
      child.kill("SIGKILL");
      // Another process may have been handed its ends of the pipes.
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    streams.signal.addEventListener("abort", stop);
    const release = () => streams.signal.removeEventListener("abort", stop);
    child.once("error", (thrown) => {
      release();
      unstarted(thrown);
    });
    const { stdin, stdout, stderr } = child;
    // A client that ends before it has read all of its input is no fault.
    stdin?.on("error", () => {});
    stdin?.end(streams.stdin);
    stdout?.on("data", (chunk: Uint8Array) => {
      if (streams.onOutput(chunk)) return;
      stdout.pause();
      void streams.resume().then(() => stdout.resume());
    });
    stderr?.on("data", (chunk: Uint8Array) => streams.onControl(chunk));
    child.once("close", (code, signal) => {
      release();
      if (streams.signal.aborted) resolve({ how: "aborted" });
      else resolve(code === null ? { how: "killed", signal: signal ?? "SIGKILL" } : { how: "exit", code });
    });
  });
}

export interface ClientCall {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Variables;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Each line it prints, as it comes. */
  readonly onLine?: (line: string) => void;
}

export type ClientAnswer =
  | { readonly how: "exit"; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly how: "timeout" | "aborted" }
  | { readonly how: "unstarted"; readonly code: string; readonly message: string };

/** Runs a client whose answer is short, within a time limit. Never rejects. */
export async function callClient(call: ClientCall): Promise<ClientAnswer> {
  const over = new AbortController();
  const stdout: Uint8Array[] = [];
  const stderr: Uint8Array[] = [];
  const show = call.onLine && byLine(call.onLine);
  const keep = (chunks: Uint8Array[]) => (chunk: Uint8Array) => {
    show?.(chunk);
    return chunks.push(Uint8Array.from(chunk)) > 0;
  };
  const ran = await (async () => {
    using _timer = call.clock.after(call.timeoutMs, () => over.abort());
    return runClient({
      program: call.program,
      args: call.args,
      env: call.env,
      signal: AbortSignal.any([call.signal, over.signal]),
      onOutput: keep(stdout),
      resume: async () => {},
      onControl: keep(stderr),
    });
  })();
  if (ran.how === "aborted") return { how: call.signal.aborted ? "aborted" : "timeout" };
  if (ran.how === "unstarted") return ran;
  const text = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString();
  if (ran.how === "killed") return { how: "exit", code: -1, stdout: text(stdout), stderr: `killed by ${ran.signal}` };
  return { how: "exit", code: ran.code, stdout: text(stdout), stderr: text(stderr) };
}

function byLine(onLine: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString()).split(/[\r\n]+/u);
    rest = (lines.pop() ?? "").slice(-1_000);
    for (const line of lines) if (line.trim() !== "") onLine(line.trim());
  };
}

/** The first of the names that is a program on PATH, or itself when it is a path. */
export function findProgram(names: readonly string[], env: Variables): string | undefined {
  const folders = (env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter).filter(isAbsolute);
  const places = names.flatMap((name) => (name.includes("/") ? [name] : folders.map((folder) => join(folder, name))));
  return places.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
