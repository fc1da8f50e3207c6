import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import { sha256 } from "../digest.ts";
import { codeOf } from "../files/file-fault.ts";
import { valueOr } from "../result.ts";

/** Identifies this process in a file name: its pid, its start time, and the machine or container of the pid. */
export function ownerName(): string {
  return `${process.pid}.${processStart(process.pid) ?? 0}.${pidSpace()}`;
}

/**
 * Whether the owner is certainly dead. Returns false for a process on another machine or in another container, and
 * for an unknown start time.
 */
export function isOwnerDead(owner: string): boolean {
  const [pid = "", start = "", space] = owner.split(".");
  if (space !== pidSpace()) return false;
  const startNow = processStart(Number(pid));
  if (startNow !== undefined) return startNow !== start;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    return codeOf(thrown) === "ESRCH";
  }
}

/**
 * The start time since boot, which distinguishes two processes with the same pid. Undefined if there is no such
 * process or the system is not Linux.
 */
export function processStart(pid: number): string | undefined {
  return valueOr(
    () =>
      readFileSync(`/proc/${pid}/stat`, "latin1")
        .replace(/^.*\) /su, "")
        .split(" ")[19],
    undefined,
  );
}

/** Identifies the pid namespace: containers may share a folder, but not their process ids. */
function pidSpace(): string {
  return sha256(`${hostname()} ${valueOr(() => readlinkSync("/proc/self/ns/pid"), "")}`).slice(0, 8);
}
