import type { Clock } from "../base/clock.ts";
import { type ConfirmedTime, confirmTime, systemUptime, unconfirmedTime, type Uptime } from "../base/confirmed-time.ts";
import { plural } from "../base/text/text.ts";
import type { BackgroundJob } from "../contracts/host/background-job.ts";
import type { Erased, EraseOutsideData, SessionStore } from "../contracts/session/session.ts";
import type { OwnedSession, StoreUpkeep } from "../contracts/session/store-upkeep.ts";

export interface RetentionLimits {
  /** 0: forever. */
  readonly retentionDays: number;
  /** The maximum size of all sessions in megabytes. 0: no limit. */
  readonly maxMb: number;
}

export interface RetentionDeps {
  readonly store: SessionStore & { readonly upkeep: StoreUpkeep };
  readonly limits: RetentionLimits;
  /** Erases sessions of one principal permanently, with all data stored about them. */
  erase(sessions: readonly OwnedSession[], signal: AbortSignal): Promise<Erased>;
  readonly beside: EraseOutsideData;
  readonly clock: Clock;
  /** Returns the uptime. Default: that of this machine. */
  uptime?(): Uptime;
}

/** Removals that are not reported yet. */
interface Removed {
  readonly old: number;
  readonly forRoom: number;
  readonly bytes: number;
}

/**
 * Runs once: erases sessions deleted a day ago, deletes expired ones, erases the oldest while the total exceeds the limit,
 * and frees the space. Keeps open sessions and those tagged keep. A clock that may be wrong deletes nothing.
 */
export async function applyRetention(
  { store, limits, erase, beside, clock, uptime = systemUptime }: RetentionDeps,
  signal: AbortSignal,
): Promise<void> {
  const { upkeep } = store;
  const time = confirmTime(await confirmedTime(upkeep), clock.now(), uptime());
  const now = time.confirmedAt;
  await upkeep.setFact(keptFact, String(time.wallAt));
  await upkeep.setFact(timeFact, JSON.stringify(time));
  await upkeep.finishErasing(signal, beside);
  const deleted = Map.groupBy(await upkeep.deletedBefore(now - dayMs, maxAtOnce), ({ principal }) => principal.id);
  for (const sessions of deleted.values()) {
    for (let index = 0; index < sessions.length && !signal.aborted; index += fewAtOnce) {
      await erase(sessions.slice(index, index + fewAtOnce), signal);
    }
  }
  let old = 0;
  if (limits.retentionDays > 0) {
    for (const { id, principal } of await upkeep.unchangedSince(now - limits.retentionDays * dayMs, maxAtOnce)) {
      if (signal.aborted) break;
      if ((await store.mark(id, { deleted: true }, principal)).ok) old++;
    }
  }
  let forRoom = 0;
  let bytes = 0;
  const max = limits.maxMb * 1e6;
  if (max > 0) {
    for (const session of (await upkeep.bytes()) > max ? await upkeep.oldest(now - dayMs, maxAtOnce) : []) {
      if (signal.aborted || (await upkeep.bytes()) <= max) break;
      const erased = await erase([session], signal);
      forRoom += erased.sessions.length;
      bytes += erased.bytes;
    }
  }
  if (old > 0 || forRoom > 0) {
    const before = parseRemoved(await upkeep.fact(removedFact));
    const removed = { old: before.old + old, forRoom: before.forRoom + forRoom, bytes: before.bytes + bytes };
    await upkeep.setFact(removedFact, JSON.stringify(removed));
  }
  await upkeep.giveBack(signal);
}

/** The clock reading of the last run; otherwise the time of that run or of the newest change. */
async function confirmedTime(upkeep: StoreUpkeep): Promise<ConfirmedTime | undefined> {
  const fact = await upkeep.fact(timeFact);
  if (fact !== undefined) return JSON.parse(fact) as ConfirmedTime;
  const keptAt = (await upkeep.fact(keptFact)) ?? (await upkeep.newestChange());
  return keptAt === undefined ? undefined : unconfirmedTime(Number(keptAt));
}

/** Returns a report of what `applyRetention` removed since the last report. */
export async function takeRemovalReport(upkeep: StoreUpkeep, limits: RetentionLimits): Promise<string | undefined> {
  const [fact, time] = [await upkeep.fact(removedFact), await upkeep.fact(timeFact)];
  if (fact !== undefined) await upkeep.setFact(removedFact);
  const { old, forRoom, bytes } = parseRemoved(fact);
  const { wallAt, confirmedAt } = time === undefined ? unconfirmedTime(0) : (JSON.parse(time) as ConfirmedTime);
  const aheadDays = Math.floor((wallAt - confirmedAt) / dayMs);
  const sentences = [
    ...(aheadDays > 0
      ? [
          `The system clock jumped ahead by ${plural(aheadDays, "day")}. Until it is set right, or this machine has run with it for a week, no session is deleted by age.`,
        ]
      : []),
    ...(old > 0
      ? [
          `${plural(old, "session")} not used for ${limits.retentionDays} days ${old === 1 ? "was" : "were"} deleted. You can restore them for a day: hermes sessions undelete ID (list: hermes sessions list --deleted; setting: sessions.retention_days).`,
        ]
      : []),
    ...(forRoom > 0
      ? [
          `The oldest ${plural(forRoom, "session")} (${Math.ceil(bytes / 1e6)} MB) ${forRoom === 1 ? "was" : "were"} erased, because all sessions together exceeded ${limits.maxMb} MB (setting: sessions.max_mb).`,
        ]
      : []),
  ];
  if (old > 0 || forRoom > 0) sentences.push('Sessions with the tag "keep" are never deleted.');
  return sentences.length === 0 ? undefined : sentences.join(" ");
}

/** The retention job: runs hourly in a long-running program, and briefly at the end of a short one. */
export function retentionJob(deps: RetentionDeps): BackgroundJob {
  const { clock, store } = deps;
  return {
    name: "session retention",
    when: { afterMs: firstMs, everyMs: hourMs, atEndMs: lastRunMs },
    async run(signal, isLast) {
      const keptAt = Number((await store.upkeep.fact(keptFact)) ?? 0);
      if (clock.now() - keptAt > (isLast ? dayMs : hourMs)) await applyRetention(deps, signal);
    },
  };
}

const keptFact = "kept";
const timeFact = "time";
const removedFact = "removed";
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The delay after the start of the program, when other work is more urgent. */
const firstMs = 5_000;
const lastRunMs = 200;
const maxAtOnce = 1_000;
const fewAtOnce = 20;

function parseRemoved(fact: string | undefined): Removed {
  const { old = 0, forRoom = 0, bytes = 0 } = fact === undefined ? {} : (JSON.parse(fact) as Partial<Removed>);
  return { old, forRoom, bytes };
}
