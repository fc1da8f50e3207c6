import { readFileSync, statSync, writeFileSync } from "node:fs";
import { uptime as systemUptimeSeconds } from "node:os";

import type { Clock } from "./clock.ts";
import { isObject } from "./json.ts";

/** How long the machine has been running, measured by a clock that cannot be set. */
export interface Uptime {
  /** Identifies the boot; empty if unknown. */
  readonly bootId: string;
  readonly ms: number;
}

/** A time that the wall clock and the uptime agree on. */
export interface ConfirmedTime {
  readonly confirmedAt: number;
  readonly wallAt: number;
  /** Undefined if it was not recorded. */
  readonly uptime?: Uptime;
  /** How long the wall clock has been ahead, in running time of the machine. */
  readonly doubtMs: number;
}

/**
 * Computes the next reading. The uptime must account for the time that passed; a machine may have been off for up to
 * a week. A larger jump is accepted only after the machine ran with that clock for a week. Code that deletes by age
 * uses this time, so that a clock that is a year ahead deletes nothing.
 */
export function confirmTime(before: ConfirmedTime | undefined, wallAt: number, uptime: Uptime): ConfirmedTime {
  if (before === undefined) return { confirmedAt: wallAt, wallAt, uptime, doubtMs: 0 };
  const passedMs = Math.max(0, wallAt - before.wallAt);
  const runMs = runningTime(before.uptime, uptime);
  const mayHaveBeenOff = before.uptime?.bootId !== uptime.bootId || uptime.bootId === "";
  const maxMs = runMs + (mayHaveBeenOff && passedMs <= weekMs ? weekMs : slackMs);
  const confirmedAt = Math.min(wallAt, before.confirmedAt + Math.min(passedMs, maxMs));
  const doubtMs = before.doubtMs + runMs;
  const isConfirmed = wallAt - confirmedAt <= slackMs || doubtMs > weekMs;
  return isConfirmed ? { confirmedAt: wallAt, wallAt, uptime, doubtMs: 0 } : { confirmedAt, wallAt, uptime, doubtMs };
}

/** The minimum time that the machine ran between two readings. */
function runningTime(before: Uptime | undefined, { bootId, ms }: Uptime): number {
  if (before === undefined) return 0;
  return before.bootId === bootId && ms >= before.ms ? ms - before.ms : ms;
}

/** A reading of an earlier version, which stored only the time. */
export function unconfirmedTime(wallAt: number): ConfirmedTime {
  return { confirmedAt: wallAt, wallAt, doubtMs: 0 };
}

/** The confirmed time, based on the last reading in a file. Throws errors of writing the file. */
export function confirmedNow(file: string, clock: Pick<Clock, "now">, uptime: () => Uptime = systemUptime): number {
  const before = readTime(file);
  const time = confirmTime(before, clock.now(), uptime());
  if (before === undefined || time.wallAt - before.wallAt > slackMs || time.wallAt < before.wallAt)
    writeFileSync(file, JSON.stringify(time), { mode: 0o600 });
  return time.confirmedAt;
}

function readTime(file: string): ConfirmedTime | undefined {
  const modifiedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (modifiedAt === undefined) return undefined;
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    // The cast is safe: only `confirmedNow` writes the file.
    if (isObject(read) && typeof read["wallAt"] === "number") return read as unknown as ConfirmedTime;
  } catch {
    // An older version left it empty, or a full disk truncated it.
  }
  return unconfirmedTime(modifiedAt);
}

export function systemUptime(): Uptime {
  let bootId = "";
  try {
    bootId = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    // Only Linux has this file.
  }
  return { bootId, ms: systemUptimeSeconds() * 1_000 };
}

const slackMs = 3_600_000;
const weekMs = 7 * 24 * slackMs;
