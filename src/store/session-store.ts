import { dirname, join } from "node:path";

import type { Clock } from "../base/clock.ts";
import type { SessionId } from "../base/ids.ts";
import { makeFolderSync } from "../base/make-folder.ts";
import { once } from "../base/once.ts";
import { err, ok } from "../base/result.ts";
import type { NewSession, SessionRecord, SessionStore } from "../contracts/session.ts";
import { type EntryRow, entryOf, pkOf } from "./entry-row.ts";
import { createGroupCommit } from "./group-commit.ts";
import { openDatabase } from "./open-database.ts";
import { isEntryOf, placeOf, readEntry, readPath } from "./read-entries.ts";
import { newSessionId } from "./session-id.ts";
import { takeLease } from "./session-lease.ts";
import { recordOf, type SessionRow } from "./session-row.ts";
import { asRow, asRows, prepareStatements } from "./statements.ts";
import { closedError, isDamage, isTaken, StoreError, storeError } from "./store-fault.ts";
import { addEntries, addSession } from "./write-entries.ts";

export interface StoreDeps {
  readonly clock: Clock;
  /** Hears of damage that was found when it was opened. */
  readonly say?: (sentence: string) => void;
}

/** The store in one SQLite file. Rejects with a `StoreError`, in everything. */
export async function openSessionStore(path: string, { clock, say = () => {} }: StoreDeps): Promise<SessionStore> {
  makeHome(path);
  const database = await openDatabase(path, say);
  const commit = createGroupCommit(database, path, clock);
  const sql = prepareStatements(database);
  const leases = join(dirname(path), "session-locks");
  const held = new Set<SessionId>();
  lookAtNewest();

  /** What a crash of the machine harms most. */
  function lookAtNewest(): void {
    try {
      const rows = asRows<EntryRow>(sql.newest().all(newestCount));
      if (rows.every((row) => entryOf(row).type !== "damaged")) return;
    } catch (thrown) {
      if (!isDamage(thrown)) throw storeError(thrown, path);
    }
    say(`${path}: some of the newest entries are damaged; what they said is lost, and the rest is there. Keep a copy.`);
  }

  /** Everything that can be read is read at once, so nothing of a write is ever seen half. */
  function reading<T>(read: () => T): T {
    if (!database.isOpen) throw closedError(path);
    try {
      return read();
    } catch (thrown) {
      throw storeError(thrown, path);
    }
  }

  const idOf = (pk: number) => asRow<{ readonly id: string }>(sql.sessionId().get(pk))?.id;
  const rowById = (id: SessionId) => asRow<SessionRow>(sql.session().get(id));

  async function create(asked: NewSession): Promise<SessionRecord> {
    const now = clock.now();
    const id = asked.id ?? newSessionId(now);
    if (!idPattern.test(id)) throw new StoreError("failed", `"${id}" cannot be the id of a session`);
    try {
      await commit.write(() => addSession(id, asked, now, sql));
    } catch (thrown) {
      if (!isTaken(thrown)) throw thrown;
      // Chance gave one that is there already.
      if (asked.id === undefined) return create(asked);
      throw new StoreError("failed", `there is a session ${id} already`, thrown);
    }
    return { ...asked, id, createdAt: now, changedAt: now, messages: 0 };
  }

  return {
    create,
    get: async (id, who) =>
      reading(() => {
        const row = rowById(id);
        return row && row.id === id && row.principal === who.id ? recordOf(row, idOf) : undefined;
      }),
    find: async (text, who) =>
      reading(() => {
        const wanted = text.trim();
        const rows = asRows<SessionRow>(
          wanted === "latest"
            ? sql.latest().all(who.id)
            : [
                ...sql.byId().all(who.id, wanted),
                ...sql.byTitle().all(who.id, wanted),
                ...(wanted.length < 4 ? [] : sql.byPrefix().all(who.id, wanted, `${wanted}\u{10FFFF}`)),
              ],
        );
        const [first, second] = rows.filter((row, at) => rows.findIndex(({ pk }) => pk === row.pk) === at);
        if (!first) return err({ message: `There is no session "${text}". List them: hermes sessions list` });
        const isExact = wanted === "latest" || first.id === wanted || first.title === wanted;
        if (second && !isExact) {
          return err({ message: `"${text}" fits several sessions, such as ${first.id} and ${second.id}` });
        }
        return ok(recordOf(first, idOf));
      }),
    list: async ({ limit, source, before }, who) =>
      reading(() => {
        const until = before ?? Number.MAX_SAFE_INTEGER;
        const rows = asRows<SessionRow>(sql.list().all(who.id, source ?? null, source ?? null, until, limit));
        return rows.map((row) => recordOf(row, idOf));
      }),
    append: async (id, bodies) => {
      if (!held.has(id)) throw new StoreError("failed", `session ${id} is not ours to write to: it was not leased`);
      return commit.write(() => addEntries(id, bodies, clock.now(), sql));
    },
    path: async (id, head) =>
      reading(() => {
        const place = placeOf(id, sql);
        if (!place) return [];
        if (head === undefined) return readPath(place.pk, place.head, sql);
        const pk = pkOf(head);
        return !Number.isNaN(pk) && isEntryOf(place.pk, pk, sql) ? readPath(place.pk, pk, sql) : [];
      }),
    entry: async (id, entry) =>
      reading(() => {
        const place = placeOf(id, sql);
        const pk = pkOf(entry);
        return place && !Number.isNaN(pk) ? readEntry(place.pk, pk, sql) : undefined;
      }),
    async lease(id, holder) {
      if (!reading(() => placeOf(id, sql))) throw new StoreError("failed", `there is no session ${id}`);
      const taken = await takeLease(leases, id, holder, clock);
      if (!taken.ok) return taken;
      held.add(id);
      return ok({
        sessionId: id,
        [Symbol.asyncDispose]: once(async () => {
          held.delete(id);
          // What was asked for while it was ours is written before it is somebody else's.
          await commit.idle();
          taken.value[Symbol.dispose]();
        }),
      });
    },
    spent: async ({ since = 0, sessionId }) =>
      reading(() => {
        const pk = sessionId === undefined ? undefined : (placeOf(sessionId, sql)?.pk ?? -1);
        const row = pk === undefined ? sql.spentSince().get(since) : sql.spentBy().get(pk, since);
        const { cost, tokens, calls, unknown } = row ?? {};
        return {
          costUsd: Number(cost ?? 0),
          tokens: Number(tokens ?? 0),
          calls: Number(calls ?? 0),
          unknownCost: Number(unknown ?? 0),
        };
      }),
    [Symbol.asyncDispose]: once(async () => {
      await commit.idle();
      database.close();
    }),
  };
}

const newestCount = 20;
/** It is the name of a lock file too. */
const idPattern = /^[A-Za-z0-9][\w.-]{0,127}$/u;

function makeHome(path: string): void {
  try {
    makeFolderSync(dirname(path), 0o700);
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}
