import type { DatabaseSync } from "node:sqlite";

import { sleep } from "../base/async/abort.ts";
import { asId, type SessionId } from "../base/ids.ts";
import { keepTag, type OwnedSession, type StoreUpkeep } from "../contracts/session/store-upkeep.ts";
import { type EraseDeps, erasedId, eraseStoredSessions } from "./erase-session.ts";
import { asRows, tagCondition } from "./statements.ts";

export interface UpkeepDeps extends EraseDeps {
  readonly database: DatabaseSync;
  /** Runs a read and turns an exception into a message. */
  reading<T>(read: () => T): T;
}

export function createUpkeep(deps: UpkeepDeps): Omit<StoreUpkeep, "removeLeftLeases"> {
  const { database, commit, clock, reading } = deps;
  const ask = async (sql: string, ...values: readonly (string | number)[]): Promise<readonly OwnedSession[]> =>
    reading(() => {
      const rows = asRows<{ readonly id: string; readonly principal: string }>(database.prepare(sql).all(...values));
      return rows.map(({ id, principal }) => ({ id: asId<SessionId>(id), principal: { id: principal } }));
    });
  const pragma = (name: string) => reading(() => Number(database.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0));

  return {
    deletedBefore: (time, limit) =>
      ask(`${owned} deleted_at IS NOT NULL AND deleted_at < ? ORDER BY deleted_at LIMIT ?`, time, limit),
    unchangedSince: (time, limit) =>
      ask(`${owned} ${free} AND archived_at IS NULL AND changed_at < ? ORDER BY changed_at LIMIT ?`, time, limit),
    oldest: (before, limit) =>
      ask(`${owned} ${free} AND changed_at < ? ORDER BY archived_at IS NOT NULL, changed_at LIMIT ?`, before, limit),
    newestChange: async () =>
      reading(() => {
        const value = database.prepare("SELECT max(changed_at) AS value FROM sessions").get()?.["value"];
        return typeof value === "number" ? value : undefined;
      }),
    bytes: async () => (pragma("page_count") - pragma("freelist_count")) * pragma("page_size"),
    async finishErasing(signal, beside) {
      const left = reading(() => database.prepare("SELECT pk, id FROM sessions WHERE principal = ''").all());
      const sessions = left.map(({ pk, id }) => ({ pk: Number(pk), id: erasedId(String(id)) }));
      await eraseStoredSessions(sessions, deps, signal, beside);
    },
    async giveBack(signal) {
      const free = pragma("freelist_count");
      if (free < fewPages && free * worthwhile < pragma("page_count")) return;
      for (let left = free; left > 0 && !signal.aborted; left -= pagesAtOnce) {
        await commit.write(() => database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`));
        await sleep(pauseMs, signal, clock).catch(() => {});
      }
    },
    fact: async (name) =>
      reading(() => {
        const value = database.prepare("SELECT value FROM facts WHERE name = ?").get(name)?.["value"];
        return typeof value === "string" ? value : undefined;
      }),
    setFact: (name, value) =>
      commit.write(() => {
        if (value === undefined) database.prepare("DELETE FROM facts WHERE name = ?").run(name);
        else database.prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)").run(name, value);
      }),
  };
}

const owned = "SELECT id, principal FROM sessions WHERE principal <> '' AND";
const free = `deleted_at IS NULL AND NOT ${tagCondition(`'${keepTag}'`)}`;
/** Keeps some free pages for new entries: 4 MB, or a twentieth of the file. */
const fewPages = 1_000;
const worthwhile = 20;
const pagesAtOnce = 50;
const pauseMs = 8;
