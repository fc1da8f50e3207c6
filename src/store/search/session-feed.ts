import type { DatabaseSync, StatementSync } from "node:sqlite";

import { isReadOnlyDatabase } from "../../base/files/read-only-database.ts";
import { readTextSources, type TextSource } from "../../contracts/safety/text-source.ts";
import type { Entry } from "../../contracts/session/session.ts";
import { entryOf, type EntryRow } from "../entry-row.ts";
import { openForReading } from "../open-database.ts";
import { isDamage, storeError } from "../store-fault.ts";

export interface FeedEntry {
  readonly place: number;
  readonly session: number;
  readonly at: number;
  readonly sum: number;
  readonly type: string;
  /** Reads the entry. A damaged entry is marked. */
  readonly entry: () => Entry;
}

/** An entry with facts about its session. */
export interface FeedText extends FeedEntry {
  readonly of: Pick<FeedSession, "id" | "source" | "parent">;
}

/** Conditions that can be checked without reading the text. */
export interface TextFilter {
  readonly principal: string;
  readonly isSaid: boolean;
  readonly isOutput: boolean;
  readonly since: number;
  readonly until: number;
  readonly withoutSources: readonly string[];
  readonly withoutSessions: readonly string[];
  /** The same sessions by row id. */
  readonly withoutNumbers: readonly number[];
  /** Limits this session to entries up to that row. */
  readonly current: { readonly id: string; readonly through: number };
}

export interface FeedSession {
  readonly id: string;
  readonly principal: string;
  readonly source: string;
  readonly title: string | null;
  readonly parent: number | null;
  readonly changedAt: number;
  readonly isDeleted: boolean;
}

/**
 * The store as the search needs it, on a separate connection, so that another thread can use it. Writes nothing.
 * Skips damaged rows; throws a `StoreError` if nothing can be read.
 */
export interface SessionFeed extends Disposable {
  /** Whether some rows could not be read. */
  hasDamage(): boolean;
  /** The row id of the newest entry. */
  newest(): number;
  /** Searchable entries of all sessions after a row. */
  after(place: number, limit: number): readonly FeedEntry[];
  entry(place: number): FeedEntry | undefined;
  /** The requested entries in order, each read on demand. Skips damaged ones. */
  wanted(places: readonly number[], what: TextFilter): Generator<FeedText, void, void>;
  session(pk: number): FeedSession | undefined;
  /** Sources of untrusted text that the model of this session read. */
  strangersOf(session: number): readonly TextSource[];
  /** The row ids of the session's first texts. */
  firstOf(session: number, limit: number): readonly number[];
  /** All sessions that are not erased. */
  sessions(): ReadonlySet<number>;
}

export async function openSessionFeed(path: string): Promise<SessionFeed> {
  const { DatabaseSync } = await import("node:sqlite");
  const database = isReadOnlyDatabase(path)
    ? await openForReading(path)
    : runQuery(() => new DatabaseSync(path, { readOnly: true, timeout: 2_000 }));
  const sql = runQuery(() => {
    database.exec("PRAGMA cache_size = -8192");
    return statements(database);
  });
  let hasDamage = false;

  function runQuery<T>(ask: () => T): T {
    try {
      return ask();
    } catch (thrown) {
      throw storeError(thrown, path);
    }
  }

  function unlessDamaged<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      hasDamage = true;
      return undefined;
    }
  }

  const newest = () =>
    Number((unlessDamaged(() => sql.newest.get()) ?? runQuery(() => sql.furthest.get()))?.["pk"] ?? 0);

  /** Reads rows one by one, and skips unreadable ones. */
  function aroundDamage(place: number, limit: number): readonly FeedEntry[] {
    const last = newest();
    const result: FeedEntry[] = [];
    let inVain = 0;
    for (let pk = place; pk < last && result.length < limit && inVain < maxMissedRows; pk++) {
      const row = unlessDamaged(() => sql.after.get(pk, 1));
      const entry = row && feedEntry(row);
      if (!entry || !isBehind(entry, pk) || entry.place > last) {
        inVain++;
        continue;
      }
      result.push(entry);
      inVain = 0;
      pk = entry.place - 1;
    }
    return result;
  }

  return {
    hasDamage: () => hasDamage,
    newest,
    after: (place, limit) =>
      unlessDamaged(() => ascending(sql.after.all(place, limit).map(feedEntry), place)) ?? aroundDamage(place, limit),
    entry(place) {
      const row = unlessDamaged(() => sql.entry.get(place));
      return row && feedEntry(row);
    },
    *wanted(places, what) {
      const given = givenFor(what);
      let read = 0;
      try {
        for (const row of sql.wanted.iterate(JSON.stringify(places), ...given)) {
          yield feedText(row);
          read = Number(row["key"]) + 1;
        }
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
        hasDamage = true;
        for (const place of places.slice(read)) {
          const rows = unlessDamaged(() => sql.wanted.all(JSON.stringify([place]), ...given));
          if (rows) yield* rows.map(feedText);
        }
      }
    },
    session(pk) {
      const row = unlessDamaged(() => sql.session.get(pk));
      // The cast is safe: the schema is our own.
      return row && ({ ...row, isDeleted: row["deletedAt"] !== null } as unknown as FeedSession);
    },
    strangersOf(session) {
      const rows = unlessDamaged(() => sql.states.all(session)) ?? [];
      const entries = rows.map((row) => feedEntry(row).entry());
      return entries.flatMap((entry) =>
        entry.type === "state" && entry.name === "taint" ? readTextSources(entry.value) : [],
      );
    },
    firstOf: (session, limit) =>
      unlessDamaged(() => sql.firstOf.all(session, limit).map((row) => Number(row["pk"]))) ?? [],
    sessions: () => new Set(runQuery(() => sql.sessions.all()).map((row) => Number(row["pk"]))),
    [Symbol.dispose]: () => database.close(),
  };
}

const filter = "type IN ('message', 'settled', 'titled', 'began')";

function statements(database: DatabaseSync) {
  return {
    newest: database.prepare("SELECT seq AS pk FROM sqlite_sequence WHERE name = 'entries'"),
    furthest: database.prepare("SELECT max(pk) AS pk FROM entries"),
    after: database.prepare(`SELECT * FROM entries WHERE pk > ? AND ${filter} ORDER BY pk LIMIT ?`),
    entry: database.prepare("SELECT * FROM entries WHERE pk = ?"),
    wanted: database.prepare(
      // The join with `given` keeps the requested order.
      `SELECT entry.*, given.key, session.id AS sessionId, session.source, session.parent AS sessionParent
         FROM json_each(?) AS given
         CROSS JOIN entries AS entry ON entry.pk = given.value
         CROSS JOIN sessions AS session ON session.pk = entry.session
         WHERE entry.type IN (?, ?) AND entry.at BETWEEN ? AND ? AND session.principal = ? AND session.deleted_at IS NULL
           AND session.source NOT IN (SELECT value FROM json_each(?))
           AND session.id NOT IN (SELECT value FROM json_each(?))
           AND entry.session NOT IN (SELECT value FROM json_each(?)) AND (session.id <> ? OR entry.pk <= ?)`,
    ),
    session: database.prepare(
      "SELECT id, principal, source, title, parent, changed_at AS changedAt, deleted_at AS deletedAt FROM sessions WHERE pk = ?",
    ),
    states: database.prepare("SELECT * FROM entries WHERE session = ? AND type = 'state' AND instr(body, '\"taint\"')"),
    firstOf: database.prepare(
      "SELECT pk FROM entries WHERE session = ? AND type IN ('message', 'settled') ORDER BY pk LIMIT ?",
    ),
    sessions: database.prepare("SELECT pk FROM sessions WHERE principal <> ''"),
  } satisfies Record<string, StatementSync>;
}

/** More rows than a damaged page can contain. The newest row id may be wrong too. */
const maxMissedRows = 50_000;

/** Entries in ascending order. */
function ascending(entries: readonly FeedEntry[], place: number): readonly FeedEntry[] {
  let last = place;
  return entries.filter((entry) => {
    const isNext = isBehind(entry, last);
    if (isNext) last = entry.place;
    return isNext;
  });
}

/** A damaged page can contain any numbers. */
function isBehind({ place, session }: FeedEntry, last: number): boolean {
  return place > last && Number.isSafeInteger(session) && session > 0;
}

function feedEntry(row: unknown): FeedEntry {
  // The cast is safe: the columns are those of our own schema.
  const entry = row as EntryRow;
  const { pk, session, at: createdAt, sum, type } = entry;
  return { place: pk, session, at: createdAt, sum, type, entry: () => entryOf(entry) };
}

function feedText(row: unknown): FeedText {
  // The cast is safe: these are the columns of the statement.
  const { sessionId, source, sessionParent } = row as {
    readonly sessionId: string;
    readonly source: string;
    readonly sessionParent: number | null;
  };
  return { ...feedEntry(row), of: { id: sessionId, source, parent: sessionParent } };
}

/** Parameters in the order of the statement. */
function givenFor({
  principal,
  isSaid,
  isOutput,
  since,
  until,
  withoutSources,
  withoutSessions,
  withoutNumbers,
  current,
}: TextFilter) {
  const types = [isSaid ? "message" : "", isOutput ? "settled" : ""];
  const without = [withoutSources, withoutSessions, withoutNumbers].map((each) => JSON.stringify(each));
  return [...types, since, until, principal, ...without, current.id, current.through];
}
