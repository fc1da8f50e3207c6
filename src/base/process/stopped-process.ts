import { readFileSync } from "node:fs";

/**
 * Whether a process is stopped by Ctrl-Z or a debugger. Such a process still holds its locks but makes no progress.
 * Linux only.
 */
export function isStopped(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return /^[Tt]$/u.test(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[0] ?? "");
  } catch {
    return false;
  }
}

/** Advice about a lock holder that is stopped; empty if the holder is running. */
export function stoppedHint(pid: number | undefined): string {
  return pid !== undefined && isStopped(pid) ? `; it is stopped: \`fg\` or \`kill -CONT ${pid}\` resumes it` : "";
}
