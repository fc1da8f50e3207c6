import type { SessionId } from "../base/ids.ts";
import type { Entry } from "../contracts/session.ts";
import { damagedEntry, entryOf, type EntryRow, isBegan } from "./entry-row.ts";
import { asRow, asRows, type Statements } from "./statements.ts";
import { isDamage } from "./store-fault.ts";

/** Where a session stands. */
export interface SessionPlace {
  readonly pk: number;
  readonly head: number;
}

export function placeOf(id: SessionId, sql: Statements): SessionPlace | undefined {
  return asRow<SessionPlace>(sql.place().get(id) ?? sql.placeUnindexed().get(id));
}

/** The rows of one session. */
interface Rows {
  /** Left out: it is not there, or cannot be read. */
  get(pk: number): EntryRow | undefined;
  /** The one before it in time. */
  before(pk: number): number | undefined;
}

/**
 * From the first entry to `head`, by parents. What cannot be read is a damaged entry, and the path goes on with the one
 * before it in time, which most often is the one before it on its branch.
 */
export function readPath(session: number, head: number, sql: Statements): readonly Entry[] {
  const rows = rowsOf(session, sql);
  const found: Entry[] = [];
  for (let at: number | undefined = head; at !== undefined && at > 0;) {
    const row: EntryRow | undefined = rows.get(at);
    const entry: Entry = row ? entryOf(row) : damagedEntry(at, "it cannot be read");
    const isRead: boolean = row !== undefined && entry.type !== "damaged";
    if (!row || !isRead || !isBegan(row)) found.push(entry);
    at = isRead ? (row?.parent ?? undefined) : rows.before(at);
  }
  return found.toReversed();
}

export function readEntry(session: number, pk: number, sql: Statements): Entry | undefined {
  try {
    const row = asRow<EntryRow>(sql.entry().get(pk));
    return row?.session === session && !isBegan(row) ? entryOf(row) : undefined;
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return isEntryOf(session, pk, sql) ? damagedEntry(pk, "it cannot be read") : undefined;
  }
}

export function isEntryOf(session: number, pk: number, sql: Statements): boolean {
  return sql.isEntryOf().get(session, pk) !== undefined;
}

function rowsOf(session: number, sql: Statements): Rows {
  try {
    return allRows(asRows<EntryRow>(sql.entries().all(session)));
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return singleRows(session, sql);
  }
}

function allRows(rows: readonly EntryRow[]): Rows {
  const places = new Map(rows.map(({ pk }, place) => [pk, place]));
  return {
    get: (pk) => rows[places.get(pk) ?? -1],
    before(pk) {
      const place = places.get(pk) ?? rows.findIndex((row) => row.pk > pk);
      return rows[(place === -1 ? rows.length : place) - 1]?.pk;
    },
  };
}

/** One by one, around the places of the file that cannot be read. */
function singleRows(session: number, sql: Statements): Rows {
  function get(pk: number): EntryRow | undefined {
    const row = unlessDamaged(() => asRow<EntryRow>(sql.entry().get(pk)));
    return row?.session === session ? row : undefined;
  }
  return {
    get,
    before(pk) {
      const indexed = unlessDamaged(() => asRow<{ readonly pk: number | null }>(sql.entryBefore().get(session, pk)));
      if (indexed) return indexed.pk ?? undefined;
      // The index is damaged too: what is left of the table is asked.
      let at = pk - 1;
      while (at > 0 && !get(at)) at--;
      return at > 0 ? at : undefined;
    },
  };
}

function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return undefined;
  }
}
