import { existsSync } from "node:fs";

import { type Clock, systemClock } from "../../base/clock.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Finding } from "../../contracts/host/finding.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { inspectStore } from "../../store/inspect-store.ts";
import { describeRepair } from "../../store/salvage/describe-repair.ts";
import type { Repaired } from "../../store/salvage/repair-store.ts";
import type { Verified } from "../../store/verify-store.ts";
import { sessionsFile } from "./open-sessions.ts";

export { examineMachine } from "../../environments/examine-machine.ts";

export interface RepairReport extends Omit<Repaired, "keptAs"> {
  /** Undefined: nothing was damaged or changed. */
  readonly keptAs?: string;
  readonly text: string;
}

/** Reads the whole store of this home. Undefined: there is none. */
export async function verifySessions(config: LoadedConfig, signal: AbortSignal): Promise<Verified | undefined> {
  const path = sessionsFile(config);
  const look = await inspectStore(path);
  if (!look) return undefined;
  // Does not open a missing store, because that would create a new one.
  if (look.bytes === 0) return { ...look, entries: 0, problems: [look.fault ?? ""], areMore: false, harmed: [] };
  const { verifyStore } = await import("../../store/verify-store.ts");
  return verifyStore(path, systemClock, signal);
}

/** `who` owns the sessions that a repair cannot attribute. */
export async function repairSessions(
  config: LoadedConfig,
  who: Principal,
  signal: AbortSignal,
): Promise<Result<RepairReport>> {
  const path = sessionsFile(config);
  if (!existsSync(path) && !existsSync(`${path}-wal`)) return err({ message: "There are no sessions yet." });
  const [{ repairStore }, { verifyStore }] = await Promise.all([
    import("../../store/salvage/repair-store.ts"),
    import("../../store/verify-store.ts"),
  ]);
  const { problems, sessions, entries } = await verifyStore(path, systemClock, signal);
  if (problems.length === 0) {
    return ok({
      sessions,
      entries,
      harmed: [],
      missingWrites: 0,
      text: "Nothing is damaged, and nothing was changed.",
    });
  }
  const repaired = await repairStore(path, { clock: systemClock, principal: who.id }, signal);
  return repaired.ok ? ok({ ...repaired.value, text: describeRepair(path, repaired.value) }) : repaired;
}

/** The doctor's report on the store. */
export async function examineSessions(config: LoadedConfig, clock: Clock = systemClock): Promise<readonly Finding[]> {
  const look = await inspectStore(sessionsFile(config));
  if (!look) return [{ name: "sessions", state: "good", found: "none yet" }];
  const { bytes, sessions, verified, fault, keptAside } = look;
  const aside = keptAside
    .filter(({ name }) => !/-(?:wal|shm)$/u.test(name))
    .map(({ name, bytes: size }): Finding => ({
      name: "sessions",
      state: "note",
      found: `${name} (${megabytes(size)}) is a damaged store that was kept`,
      advice: "Remove it if no session is missing.",
    }));
  const repair =
    bytes === 0
      ? "Restore a copy of sessions.db, or remove it to start with an empty store."
      : "Stop all Hermes processes, then run: hermes sessions repair";
  if (fault !== undefined) return [{ name: "sessions", state: "bad", found: fault, advice: repair }, ...aside];
  const size = `${plural(sessions, "session")}, ${megabytes(bytes)}`;
  if (verified && verified.problems > 0) {
    const match = `${size}; ${plural(verified.problems, "problem")} found by sessions verify ${daysAgo(verified.at, clock)}`;
    return [{ name: "sessions", state: "bad", found: match, advice: repair }, ...aside];
  }
  const read = verified
    ? `no damage when it was verified ${daysAgo(verified.at, clock)}`
    : "never verified (run: hermes sessions verify)";
  return [{ name: "sessions", state: "good", found: `${size}, ${read}` }, ...aside];
}

function megabytes(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

function daysAgo(index: number, clock: Clock): string {
  const days = Math.floor((clock.now() - index) / 86_400_000);
  return days < 1 ? "today" : `${plural(days, "day")} ago`;
}
