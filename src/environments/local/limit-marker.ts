import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

import { valueOr } from "../../base/result.ts";

/**
 * A marker of a run that its processes cannot lose: a file size limit that is too large to matter and different in each
 * run. Unlike the environment, no program clears it. Linux only; on other systems it is a word in the environment.
 */
export interface LimitMarker {
  /**
   * The marker as text. It is also in the environment, so that a process can be found by its limit or by its
   * environment.
   */
  readonly marker: string;
  /** The command that sets the limit and becomes the program. */
  wrap(program: string, args: readonly string[]): { readonly program: string; readonly args: readonly string[] };
}

export function createLimitMarker(): LimitMarker {
  const own = valueOr(() => sizeIn(readFileSync("/proc/self/limits", "latin1")), undefined);
  // Starts from the current limit, because a process may only lower it.
  const blocks = (own ?? maxBytes) / blockBytes - BigInt(randomInt(1, 2 ** 40));
  return {
    marker: `${prefix}${blocks * blockBytes}`,
    wrap: (program, args) =>
      process.platform === "linux"
        ? { program: "/bin/sh", args: ["-c", script, "sh", String(blocks), program, ...args] }
        : { program, args },
  };
}

/** The marker in these process limits. Undefined: there is none. */
export function markerOfLimits(limits: string): string | undefined {
  const size = sizeIn(limits);
  return size === undefined ? undefined : `${prefix}${size}`;
}

function sizeIn(limits: string): bigint | undefined {
  const digits = /^Max file size +\d+ +(\d+) /mu.exec(limits)?.[1];
  return digits === undefined ? undefined : BigInt(digits);
}

const prefix = "size-";
const maxBytes = 2n ** 62n;
/** `ulimit` counts blocks. */
const blockBytes = 512n;
const script = 'ulimit -f "$1" 2>/dev/null; shift; exec "$@"';
