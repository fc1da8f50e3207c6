import { existsSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { startKeeping, takeRemoved } from "../../sessions/keep-sessions.ts";
import { openMendedStore } from "../../store/open-mended.ts";
import { type KeptSessionStore, openSessionStore } from "../../store/session-store.ts";
import { wasOpened } from "../../store/store-users.ts";
import { eraseSessions, forgetBeside } from "./erase-sessions.ts";

/**
 * The sessions of this home, to look at; `say` hears of damage. Undefined while there are none: looking creates
 * nothing. What a program that crashed has left beside a store that is gone counts as one.
 */
export async function openSessions(
  config: LoadedConfig,
  say: (sentence: string) => void,
): Promise<KeptSessionStore | undefined> {
  const file = sessionsFile(config);
  if (existsSync(file) || existsSync(`${file}-wal`)) return makeSessions(config, say);
  if (wasOpened(file)) say(`${file} is not there any more; sessions were in it`);
  return undefined;
}

/** The same, made when there are none. */
export function makeSessions(config: LoadedConfig, say: (sentence: string) => void): Promise<KeptSessionStore> {
  return openSessionStore(sessionsFile(config), { clock: systemClock, say });
}

export interface SessionsDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** A sentence for the person. */
  say(sentence: string): void;
  /** Owns the sessions that a repair cannot attribute to anybody. */
  readonly principal: Principal;
}

/**
 * The sessions of this home, to work with: a store that cannot be opened is repaired, and while it is open old sessions
 * are removed as the settings say.
 */
export async function openKeptSessions(
  config: LoadedConfig,
  file: string = sessionsFile(config),
  { clock, log, say, principal }: SessionsDeps,
  signal: AbortSignal,
): Promise<KeptSessionStore> {
  const { retention_days: retentionDays, max_mb: maxMb } = config.values.sessions;
  const limits = { retentionDays, maxMb };
  const store = await openMendedStore(file, { clock, say, principal: principal.id }, signal);
  const removed = await takeRemoved(store.upkeep, limits);
  if (removed !== undefined) say(removed);
  const keeping = startKeeping({
    store,
    limits,
    erase: (these, until) => {
      const who = these[0]?.principal ?? principal;
      const ids = these.map(({ id }) => id);
      return eraseSessions(ids, who, { store, config }, until);
    },
    beside: forgetBeside(config),
    clock,
    log,
  });
  return Object.assign(Object.create(store) as KeptSessionStore, {
    [Symbol.asyncDispose]: once(async () => {
      await keeping[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    }),
  });
}

export function sessionsFile(config: LoadedConfig): string {
  return join(config.home.path, homeFiles.sessions);
}
