import { spawn } from "node:child_process";

export interface LeftShell {
  readonly pid: number;
  /** Stands in its command line and in no other. */
  readonly mark: string;
  /** How long it may still take. */
  readonly restMs: number;
}

/**
 * Leaves a shell that reads start-up files to end by itself: cut off, it could leave a lock behind that nobody lets go, and
 * from then on every shell of the user would wait for it. A small process outlives us to end one that never does. Never
 * throws, and waits for nothing.
 */
export function leaveToEnd({ pid, mark, restMs }: LeftShell): void {
  const seconds = Math.max(1, Math.ceil(restMs / 1000));
  try {
    const keeper = spawn("/bin/sh", ["-c", watch, "sh", `${pid}`, mark, `${seconds}`], {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin" },
      detached: true,
      stdio: "ignore",
    });
    keeper.on("error", () => {});
    keeper.unref();
  } catch {
    // Without it nothing ends the shell but itself.
  }
}

/** The number may be somebody else's by then. */
const watch = `is_there() { { cat "/proc/$1/cmdline" || ps -p "$1" -o args=; } | grep -aqF -e "$2"; } 2>/dev/null
while [ "$3" -gt 0 ]; do is_there "$1" "$2" || exit; sleep 1; set -- "$1" "$2" $(($3 - 1)); done
for how in TERM KILL; do is_there "$1" "$2" && kill -s $how -- "-$1"; sleep 1; done 2>/dev/null`;
