import { readFileSync } from "node:fs";
import { constants } from "node:os";

import type { Exit } from "../start-program.ts";
import type { LiveProcess } from "./process-view.ts";

/**
 * The first process of a confined command's namespace, which only holds it together. It is known by its number in there,
 * which no other process can have: a name could be anybody's.
 */
export function isKeeper({ pid }: LiveProcess): boolean {
  const inner = numbersOf(pid);
  return inner.length === numbersOf("self").length + 1 && inner.at(-1) === "1";
}

/** True when there are only such: they are about to end, and ended here, and with them all that could be in there. */
export function endKeepers(left: readonly LiveProcess[]): boolean {
  if (!left.every(isKeeper)) return false;
  for (const { pid } of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
  return true;
}

/** The first process hands on a signal as 128 and its number; so does a shell whose program was ended by one. */
export function signalBehind(exit: Exit): Exit {
  if ("signal" in exit) return exit;
  const name = Object.entries(constants.signals).find(([, number]) => number === exit.exitCode - 128)?.[0];
  return name === undefined ? exit : { signal: name };
}

/** The number of a process in each namespace that it is in, from ours inwards. */
function numbersOf(pid: number | "self"): readonly string[] {
  try {
    return /^NSpid:\s+(.+)$/mu.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]?.split(/\s+/u) ?? [];
  } catch {
    return [];
  }
}
