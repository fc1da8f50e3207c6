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

/** True when only such processes are left: kills them and everything in their namespace. */
export function endKeepers(left: readonly LiveProcess[]): boolean {
  if (!left.every(isKeeper)) return false;
  // A process may have ended meanwhile.
  for (const { pid } of left) valueOr(() => process.kill(pid, "SIGKILL"), false);
  return true;
}

/** The first process reports a signal as 128 plus its number; so does a shell whose program was killed. */
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
