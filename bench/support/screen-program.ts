import { readFileSync } from "node:fs";

import { spawn } from "@lydell/node-pty";

import type { Scene } from "./programs.ts";

/** A program in a real terminal that answers the terminal queries of the screen. */
export interface ScreenProgram extends AsyncDisposable {
  readonly pid: number;
  /** Everything that the program wrote. */
  raw(): string;
  type(keys: string): void;
  /** Resolves when the program has exited. */
  readonly exited: Promise<void>;
  /** Resolves with the time when the program has written the words after this offset. */
  until(words: string, from?: number): Promise<number>;
}

const columns = 100;
const rows = 30;

export function startScreenProgram(
  [command = "", ...args]: readonly string[],
  { env, folder }: Pick<Scene, "env" | "folder">,
  more: NodeJS.ProcessEnv = {},
): ScreenProgram {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...env, TERM: "xterm-256color", COLORFGBG: "15;0", ...more },
    cols: columns,
    rows,
  });
  let raw = "";
  const waiting = new Set<() => void>();
  child.onData((data) => {
    raw += data;
    if (data.includes("\x1b[c")) child.write("\x1b[?2026;2$y\x1b[?62c");
    for (const check of waiting) check();
  });
  const exited = new Promise<void>((resolve) => child.onExit(() => resolve()));
  return {
    pid: child.pid,
    raw: () => raw,
    type: (keys) => child.write(keys),
    exited,
    until: (words, from = 0) =>
      new Promise((resolve, reject) => {
        const limit = setTimeout(
          () => reject(new Error(`the program did not write: ${words}\n${raw.slice(-2_000)}`)),
          60_000,
        );
        const check = () => {
          if (!raw.includes(words, from)) return;
          clearTimeout(limit);
          waiting.delete(check);
          resolve(performance.now());
        };
        waiting.add(check);
        check();
      }),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Processor time of a process so far, without its children. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /u, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Memory of a process in megabytes. */
export function memoryMb(pid: number): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1_000;
}
