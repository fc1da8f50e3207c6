import { statSync, writeFileSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import type { Clock } from "../base/clock.ts";
import { isBegan, type EntryRow, isIntact } from "./entry-row.ts";
import { openDatabase } from "./open-database.ts";
import { readUnlessDamaged } from "./read-entries.ts";
import { asRow, asRows } from "./statements.ts";
import { isDamage, storeError } from "./store-fault.ts";

/** The result of a full check. No problems: the store is intact. */
export interface Verified {
  readonly sessions: number;
  readonly entries: number;
  readonly bytes: number;
  readonly problems: readonly string[];
  /** True if there are more problems than listed. */
  readonly areMore: boolean;
  /** Sessions that lost entries in an earlier repair, or have damaged entries. */
  readonly harmed: readonly { readonly id: string; readonly lost: number }[];
}

/**
 * Reads everything: all checksums, the tree of each session, heads, counts, and SQLite's own check of the file. Rejects
 * with a `StoreError` if it cannot be opened for another reason than damage.
 */
export async function verifyStore(path: string, clock: Clock, signal: AbortSignal): Promise<Verified> {
  const problems: string[] = [];
  let count = 0;
  const report = (problem: string) => {
    if (++count <= maxProblems) problems.push(problem);
  };
  const answer = (sessions: number, entries: number, harmed: Verified["harmed"]): Verified => {
    const sizes = ["", "-wal"].map((suffix) => statSync(path + suffix, { throwIfNoEntry: false })?.size ?? 0);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    note(path, { at: clock.now(), problems: count });
    return { sessions, entries, bytes, problems, areMore: count > problems.length, harmed };
  };
  try {
    using database = await openDatabase(path, report);
    const { entries, lost } = await verifyEntries(database, report, signal);
    const sessions = verifySessions(database, report);
    const names = database.prepare("SELECT id FROM sessions WHERE pk = ?");
    const harmed = Array.from(lost, ([session, each]) => ({
      id: String(readUnlessDamaged(() => names.get(session))?.["id"] ?? `number ${session}`),
      lost: each,
    }));
    for (const sentence of checkFile(database)) report(`SQLite: ${sentence}`);
    return answer(sessions, entries, harmed);
  } catch (thrown) {
    signal.throwIfAborted();
    const error = storeError(thrown, path);
    if (error.kind !== "damaged" && error.kind !== "not_a_store") throw error;
    report(error.message);
    return answer(0, 0, []);
  }
}

/** The time of the last full check, in a separate file, because a damaged store is never written. */
export function verifiedFile(path: string): string {
  return `${path}.verified`;
}

const maxProblems = 50;
const rowsAtOnce = 1_000;

type Report = (problem: string) => void;

async function verifyEntries(
  database: DatabaseSync,
  report: Report,
  signal: AbortSignal,
): Promise<{ readonly entries: number; readonly lost: ReadonlyMap<number, number> }> {
  const next = database.prepare("SELECT * FROM entries WHERE pk > ? ORDER BY pk LIMIT ?");
  const sessionOf = database.prepare("SELECT session FROM entries WHERE pk = ?");
  const hasSession = database.prepare("SELECT 1 FROM sessions WHERE pk = ?");
  /** Sessions whose erase was interrupted, so that their first entries are missing. The next start finishes it. */
  const erasing = new Set(
    readUnlessDamaged(() => database.prepare("SELECT pk FROM sessions WHERE principal = ''").all())?.map(
      ({ pk }) => pk,
    ),
  );
  const seen = new Set<number>();
  const lost = new Map<number, number>();
  const miss = (session: number) => lost.set(session, (lost.get(session) ?? 0) + 1);
  let entries = 0;

  function look(row: EntryRow): void {
    const { pk, session, parent, type } = row;
    if (erasing.has(session)) return;
    entries++;
    if (!isIntact(row)) {
      miss(session);
      report(`entry e${pk}: its checksum is wrong`);
      return;
    }
    if (type === "damaged") miss(session);
    if (!seen.has(session) && readUnlessDamaged(() => hasSession.get(session))) seen.add(session);
    if (!seen.has(session)) report(`entry e${pk}: its session is not listed`);
    const isPlaced =
      parent === null || (parent < pk && readUnlessDamaged(() => sessionOf.get(parent))?.["session"] === session);
    if (!isPlaced) report(`entry e${pk}: its parent e${parent} is missing`);
  }

  const last = Number(database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'entries'").get()?.["seq"] ?? 0);
  for (let pk = 0; pk < last;) {
    signal.throwIfAborted();
    await new Promise((resolve) => setImmediate(resolve));
    try {
      const rows = asRows<EntryRow>(next.all(pk, rowsAtOnce));
      for (const row of rows) look(row);
      pk = rows.at(-1)?.pk ?? last;
    } catch (thrown) {
      if (!isDamage(thrown)) throw thrown;
      pk = lookOneByOne(pk);
    }
  }

  /** Reads rows one by one past damage, and returns the last row. */
  function lookOneByOne(after: number): number {
    const one = database.prepare("SELECT * FROM entries WHERE pk = ?");
    const until = Math.min(last, after + rowsAtOnce);
    for (let pk = after + 1; pk <= until; pk++) {
      try {
        const row = asRow<EntryRow>(one.get(pk));
        if (row) look(row);
      } catch (thrown) {
        if (!isDamage(thrown)) throw thrown;
        report(`entry e${pk}: it cannot be read`);
      }
    }
    return until;
  }

  return { entries, lost };
}

/** Returns the number of sessions. */
function verifySessions(database: DatabaseSync, report: Report): number {
  let sessions = 0;
  const first = database.prepare("SELECT * FROM entries WHERE session = ? ORDER BY pk LIMIT 1");
  const counted = database.prepare(
    "SELECT max(pk) AS head, sum(type = 'message') AS messages, sum(type = 'usage') AS paid, (SELECT count(*) FROM usage WHERE usage.session = ?1) AS booked FROM entries WHERE session = ?1",
  );
  try {
    for (const line of database
      .prepare("SELECT pk, id, head, messages FROM sessions WHERE principal <> ''")
      .iterate()) {
      const pk = Number(line["pk"]);
      const id = String(line["id"]);
      sessions++;
      const began = readUnlessDamaged(() => asRow<EntryRow>(first.get(pk)));
      const name = began && isBegan(began) && isIntact(began) ? JSON.parse(began.body).id : undefined;
      if (name !== id) report(`session ${id}: its first entry is ${name === undefined ? "not there" : `of ${name}`}`);
      const counts = readUnlessDamaged(() => counted.get(pk));
      if (!counts) continue;
      for (const name of ["head", "messages"]) {
        const [is, says] = [Number(counts[name]), Number(line[name])];
        if (is !== says) report(`session ${id}: its ${name} is ${is}, but the list says ${says}`);
      }
      if (counts["paid"] !== counts["booked"]) report(`session ${id}: its cost records are wrong`);
    }
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    report("the list of sessions cannot be read to its end");
  }
  return sessions;
}

function checkFile(database: DatabaseSync): readonly string[] {
  try {
    const rows = database.prepare("PRAGMA integrity_check(20)").all();
    return rows.map((row) => String(row["integrity_check"]).replaceAll(/\s+/gu, " ")).filter((text) => text !== "ok");
  } catch (thrown) {
    if (!isDamage(thrown)) throw thrown;
    return ["the file cannot be read to its end"];
  }
}

function note(path: string, value: { readonly at: number; readonly problems: number }): void {
  try {
    writeFileSync(verifiedFile(path), JSON.stringify(value), { mode: 0o600 });
  } catch {
    // Informational only; a full disk must not hide the result.
  }
}
