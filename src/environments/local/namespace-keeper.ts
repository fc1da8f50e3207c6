import { readFileSync } from "node:fs";
import { constants } from "node:os";

import { valueOr } from "../../base/result.ts";
import type { Exit } from "../start-program.ts";
import type { LiveProcess } from "./process-view.ts";

/**
 * The first process in the namespace of a sandboxed command, which only keeps the namespace alive. Its pid inside the
 * namespace identifies it, because a name could be forged.
 */
export function isKeeper({ pid }: LiveProcess): boolean {
  const inner = numbersOf(pid);
  return inner.length === numbersOf("self").length + 1 && inner.at(-1) === "1";
}

/** Returns true if only such processes are left, and kills them with everything in their namespace. */
export function endKeepers(left: readonly LiveProcess[]): boolean {
  if (!left.every(isKeeper)) return false;
  // A process may have ended meanwhile.
  for (const { pid } of left) valueOr(() => process.kill(pid, "SIGKILL"), false);
  return true;
}

/**
 * Converts an exit code above 128 to a signal: the first process of a namespace reports signals as 128 plus their
 * number, and so does a shell whose program was killed.
 */
export function signalFromExit(exit: Exit): Exit {
  if ("signal" in exit) return exit;
  const name = Object.entries(constants.signals).find(([, number]) => number === exit.exitCode - 128)?.[0];
  return name === undefined ? exit : { signal: name };
}

/** The pids of a process in each of its namespaces, from ours inwards. */
function numbersOf(pid: number | "self"): readonly string[] {
  return valueOr(
    () => /^NSpid:\s+(.+)$/mu.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]?.split(/\s+/u) ?? [],
    [],
  );
}
