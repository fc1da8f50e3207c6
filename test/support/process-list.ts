import { readdirSync, readFileSync } from "node:fs";

/** Command lines of running processes that contain the word, according to the kernel. */
export function processesWith(word: string): readonly string[] {
  return commandLines((line) => line.includes(word));
}

/** Command lines of other processes of this machine. Zombies do not count. */
export function commandLines(isWanted: (line: string) => boolean = () => true): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/u.test(pid) || Number(pid) === process.pid) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
      if (!isWanted(line)) return [];
      return /^State:\s+[ZX]/mu.test(readFileSync(`/proc/${pid}/status`, "utf8")) ? [] : [line];
    } catch {
      return [];
    }
  });
}

/** An argument of `sleep` that no other process has. */
export function uniqueSeconds(): string {
  return `29${Math.floor(Math.random() * 1e9)}.25`;
}
