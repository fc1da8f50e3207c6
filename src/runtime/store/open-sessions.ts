import { existsSync } from "node:fs";
import { join } from "node:path";

import { type Clock, systemClock } from "../../base/clock.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { BackgroundJob } from "../../contracts/host/background-job.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { type RetentionLimits, retentionJob, takeRemovalReport } from "../../sessions/session-retention.ts";
import { openOrRepairStore } from "../../store/open-or-repair.ts";
import { type KeptSessionStore, openSessionStore } from "../../store/session-store.ts";
import { wasOpened } from "../../store/store-users.ts";
import { eraseSessions, eraseOutsideData } from "./erase-sessions.ts";

/**
 * Opens the sessions of this home for reading; `say` reports damage. Undefined if there are none: reading creates
 * nothing. Files that a crashed program left next to a missing store count as a store.
 */
export async function openSessions(
  config: LoadedConfig,
  say: (sentence: string) => void,
): Promise<KeptSessionStore | undefined> {
  const file = sessionsFile(config);
  if (existsSync(file) || existsSync(`${file}-wal`)) return createSessions(config, say);
  if (wasOpened(file)) say(`${file} no longer exists; it contained sessions`);
  return undefined;
}

/** Like `openSessions`, but creates the store if it is missing. */
export function createSessions(config: LoadedConfig, say: (sentence: string) => void): Promise<KeptSessionStore> {
  return openSessionStore(sessionsFile(config), { clock: systemClock, say });
}

export interface SessionsDeps {
  readonly clock: Clock;
  say(sentence: string): void;
  /** Owns the sessions that a repair cannot attribute. */
  readonly principal: Principal;
}

/** Opens the sessions of this home for writing; repairs a store that cannot be opened. */
export async function openHomeStore(
  config: LoadedConfig,
  file: string = sessionsFile(config),
  { clock, say, principal }: SessionsDeps,
  signal: AbortSignal,
): Promise<KeptSessionStore> {
  const store = await openOrRepairStore(file, { clock, say, principal: principal.id }, signal);
  const removed = await takeRemovalReport(store.upkeep, retentionLimits(config));
  if (removed !== undefined) say(removed);
  return store;
}

/** Removes old sessions according to the settings. */
export function sessionRetention(config: LoadedConfig, { store, principal, clock }: RetentionDeps): BackgroundJob {
  return retentionJob({
    store,
    limits: retentionLimits(config),
    erase: (sessions, signal) => {
      const who = sessions[0]?.principal ?? principal;
      const ids = sessions.map(({ id }) => id);
      return eraseSessions(ids, who, { store, config }, signal);
    },
    beside: eraseOutsideData(config),
    clock,
  });
}

interface RetentionDeps extends Pick<SessionsDeps, "clock" | "principal"> {
  readonly store: KeptSessionStore;
}

function retentionLimits({ values: { sessions } }: LoadedConfig): RetentionLimits {
  return { retentionDays: sessions.retention_days, maxMb: sessions.max_mb };
}

export function sessionsFile(config: LoadedConfig): string {
  return join(config.home.path, homeFiles.sessions);
}
