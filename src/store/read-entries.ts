import { asId, type SessionId } from "../base/ids.ts";
import type { Entry, PlacedEntry } from "../contracts/session/session.ts";
import { damagedEntry, entryOf, type EntryRow, isBegan } from "./entry-row.ts";
import { asRow, asRows, type Statements } from "./statements.ts";
import { isDamage, StoreError } from "./store-fault.ts";

/** The position of a session in the store. */
export interface SessionPlace {
  readonly pk: number;
  readonly head: number;
}

export function placeOf(id: SessionId, sql: Statements): SessionPlace | undefined {
  const result = asRow<SessionPlace & { readonly id: string }>(sql.place().get(id));
  if (result && (result.id === id || beganAs(id, result.pk, sql))) return result;
  const unindexed = asRow<SessionPlace>(sql.placeUnindexed().get(id));
  const pk = sql.indexed().get(id)?.["pk"];
  if (!unindexed && pk !== undefined && !sql.sessionId().get(pk)) {
    throw new StoreError(
      "damaged",
      `the file is damaged where session ${id} is listed; stop all Hermes processes, then run: hermes sessions repair`,
    );
  }
  return unindexed;
}

/** If index and row disagree about the id of a session, its first entry decides. */
function beganAs(id: SessionId, session: number, sql: Statements): boolean {
  const row = readUnlessDamaged(() => asRow<EntryRow>(sql.first().get(session)));
  const entry = row && isBegan(row) ? entryOf(row) : undefined;
  return entry !== undefined && entry.type !== "damaged" && JSON.parse(row?.body ?? "{}").id === id;
}

/**
 * Reads the path from the first entry to `head` by following parents. An unreadable row becomes a damaged entry, and
 * the path continues at the previous row of the session, which is usually its parent.
 */
export function readPath(session: number, head: number, sql: Statements): readonly Entry[] {
  const result: Entry[] = [];
  /** The type to find; undefined for the next entry of any type. */
  let expectedPk: number | undefined = head;
  for (const row of rowsDown(session, head, sql)) {
    // The entry is on another branch.
    if (expectedPk !== undefined && row.pk > expectedPk) continue;
    if (expectedPk !== undefined && row.pk < expectedPk) result.push(lost(expectedPk));
    const entry = "lost" in row ? lost(row.pk) : entryOf(row);
    // An entry imported as damaged keeps its position in the tree.
    if ("lost" in row || (entry.type === "damaged" && entry.parent === undefined)) {
      result.push(entry);
      expectedPk = undefined;
    } else {
      if (!isBegan(row)) result.push(entry);
      if (row.parent === null) return result.toReversed();
      expectedPk = row.parent;
    }
  }
  if (expectedPk !== undefined && expectedPk > 0) result.push(lost(expectedPk));
  return result.toReversed();
}

/** All entries of a session, oldest first. */
export function readAll(session: number, sql: Statements, type?: Entry["type"]): readonly Entry[] {
  if (type !== undefined) return readType(session, sql, type);
  const result: Entry[] = [];
  for (const row of rowsDown(session, Number.MAX_SAFE_INTEGER - 1, sql)) {
    if ("lost" in row) result.push(lost(row.pk));
    else if (!isBegan(row)) result.push(entryOf(row));
  }
  return result.toReversed();
}

/** Reads only entry bodies of this type, unless the file is damaged. */
function readType(session: number, sql: Statements, type: Entry["type"]): readonly Entry[] {
  try {
    return asRows<EntryRow>(sql.entriesOfType().all(session, type)).map(entryOf);
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return readAll(session, sql).filter((entry) => entry.type === type);
  }
}

/**
 * The entries of all sessions after a row. Entries that cannot be read at all are skipped, because their owner is
 * unknown.
 */
export function readAfter(place: number, limit: number, sql: Statements): readonly PlacedEntry[] {
  try {
    return asRows<PlacedRow>(sql.entriesAfter().all(place, limit)).map(placedEntry);
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
  }
  const result: PlacedEntry[] = [];
  const last = Number(sql.lastPrimaryKey().get()?.["pk"] ?? 0);
  for (let pk = place; pk < last && result.length < limit; pk++) {
    const row = readUnlessDamaged(() => asRow<PlacedRow>(sql.entriesAfter().get(pk, 1)));
    if (!row) continue;
    result.push(placedEntry(row));
    pk = row.pk - 1;
  }
  return result;
}

type PlacedRow = EntryRow & { readonly session_id: string };

function placedEntry(row: PlacedRow): PlacedEntry {
  return { place: row.pk, sessionId: asId<SessionId>(row.session_id), entry: entryOf(row) };
}

export function readEntry(session: number, pk: number, sql: Statements): Entry | undefined {
  try {
    const row = asRow<EntryRow>(sql.entry().get(pk));
    return row?.session === session && !isBegan(row) ? entryOf(row) : undefined;
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return isEntryOf(session, pk, sql) ? lost(pk) : undefined;
  }
}

export function isEntryOf(session: number, pk: number, sql: Statements): boolean {
  return sql.isEntryOf().get(session, pk) !== undefined;
}

interface LostRow {
  readonly pk: number;
  readonly lost: true;
}

/** All rows of a session, newest first; skips unreadable parts of the file one row at a time. */
function* rowsDown(session: number, head: number, sql: Statements): Generator<EntryRow | LostRow, void, void> {
  let last = head + 1;
  try {
    for (const row of sql.entriesDown().iterate(session, head)) {
      const entry = asEntryRow(row);
      last = Math.min(last, entry.pk);
      yield entry;
    }
    return;
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
  }
  for (let pk = before(session, last, sql); pk > 0; pk = before(session, pk, sql)) {
    yield rowAt(session, pk, sql) ?? { pk, lost: true };
  }
}

/** The row id; 0 if there is no such entry. */
function before(session: number, pk: number, sql: Statements): number {
  const indexed = readUnlessDamaged(() => sql.entryBefore().get(session, pk));
  const result = Number(indexed?.["pk"] ?? 0);
  if (indexed && result < pk) return result;
  // The index is damaged too, so the rest of the table is searched.
  const newest = Number(readUnlessDamaged(() => sql.lastPrimaryKey().get())?.["pk"] ?? 0);
  let before = Math.min(pk - 1, newest);
  while (before > 0 && !rowAt(session, before, sql)) before--;
  return before;
}

function rowAt(session: number, pk: number, sql: Statements): EntryRow | undefined {
  const row = readUnlessDamaged(() => sql.entry().get(pk));
  return row?.["session"] === session ? asEntryRow(row) : undefined;
}

function lost(pk: number): Entry {
  return damagedEntry(pk, "the entry cannot be read");
}

/** The cast is safe: the columns are those of our own schema. */
function asEntryRow(row: unknown): EntryRow {
  return row as EntryRow;
}

export function readUnlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return undefined;
  }
}
