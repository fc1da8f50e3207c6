import type { DatabaseSync, StatementSync } from "node:sqlite";

import { ownerWord, sessionMark, sessionOf, sessionWord, timeWords } from "./filter-words.ts";
import { searchedText } from "./searched-text.ts";
import type { FeedEntry, FeedSession, SessionFeed } from "./session-feed.ts";
import type { Splitter } from "./split-words.ts";

/** Updates the search file from the store in steps. Each step is one transaction. */
export interface TextIndex {
  /** Indexes the next entries and returns how many it read; 0 if the store has nothing new. */
  step(limit: number): number;
  /** Removes sessions that were erased from the store. Returns how many. */
  forgetErased(): number;
  /** The row id up to which the store was read. */
  place(): number;
  /**
   * Merges segments of the file, one step at a time: fewer segments make searches faster, and a merge removes deleted
   * text from the file. Returns false if nothing is left to merge.
   */
  tidyStep(): boolean;
  /** Whether this file was built from another store, or the store was restored from a backup. */
  isOfAnotherStore(): boolean;
}

/** `isOver` is checked during a step; if it returns true, the step is rolled back. */
export function createTextIndex(
  database: DatabaseSync,
  feed: SessionFeed,
  splitter: Splitter,
  isOver: () => boolean = () => false,
): TextIndex {
  const sql = {
    fact: database.prepare("SELECT value FROM facts WHERE name = ?"),
    setFact: database.prepare("UPDATE facts SET value = ?2 WHERE name = ?1"),
    countTexts: database.prepare("UPDATE facts SET value = value + ? WHERE name = 'texts'"),
    addText: database.prepare("INSERT INTO texts (rowid, words) VALUES (?, ?)"),
    dropText: database.prepare("DELETE FROM texts WHERE rowid = ?"),
    textsWith: database.prepare("SELECT rowid FROM texts WHERE texts MATCH ? AND rowid < ?"),
    setTitle: database.prepare("INSERT OR REPLACE INTO titles (rowid, words) VALUES (?, ?)"),
    dropTitle: database.prepare("DELETE FROM titles WHERE rowid = ?"),
    merge: database.prepare(`INSERT INTO texts (texts, rank) VALUES ('merge', ${pagesOfMerge})`),
    mergeAll: database.prepare(`INSERT INTO texts (texts, rank) VALUES ('merge', -${pagesOfMerge})`),
    mergeTitles: database.prepare(`INSERT INTO titles (titles, rank) VALUES ('merge', ${pagesOfMerge})`),
    mergeAllTitles: database.prepare("INSERT INTO titles (titles) VALUES ('optimize')"),
    emptyWal: database.prepare("PRAGMA wal_checkpoint(TRUNCATE)"),
    changes: database.prepare("SELECT total_changes() AS changes"),
    isTitled: database.prepare("SELECT 1 FROM titles WHERE rowid = ?"),
    titled: database.prepare("SELECT rowid FROM titles"),
    sessionWords: database.prepare("SELECT term FROM temp.vocabulary WHERE term > ? AND term < ?"),
  };
  const fact = (name: string) => Number(sql.fact.get(name)?.["value"] ?? 0);

  function addText({ place, session, at: createdAt, entry }: FeedEntry, principal: string): boolean {
    const result = searchedText(entry());
    if (!result) return false;
    const filters = [ownerWord(principal, result.role), sessionWord(session), ...timeWords(createdAt)];
    sql.addText.run(place, filters.join(" ") + indexedWords(result.text, splitter));
    return true;
  }

  function setTitle(pk: number, session: FeedSession | undefined): void {
    const words = indexedWords(session?.title ?? "", splitter);
    if (!session || words === "") sql.dropTitle.run(pk);
    else sql.setTitle.run(pk, ownerWord(session.principal, "title") + words);
  }

  /** Removes an erased session from the index: its title, and its texts up to a row. */
  function forget(session: number, before: number): void {
    const removed = sql.textsWith.all(`"${sessionWord(session)}"`, before);
    if (removed.length === 0 && !sql.isTitled.get(session)) return;
    for (const row of removed) sql.dropText.run(Number(row["rowid"]));
    sql.countTexts.run(-removed.length);
    sql.dropTitle.run(session);
    sql.setFact.run("erased", 1);
  }

  function transaction<T>(work: () => T): T {
    database.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      database.exec("COMMIT");
      return value;
    } catch (thrown) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw thrown;
    }
  }

  /** According to FTS5, fewer than two changes mean that nothing was left to merge. */
  function changes(merge: StatementSync): boolean {
    const before = Number(sql.changes.get()?.["changes"] ?? 0);
    merge.run();
    return Number(sql.changes.get()?.["changes"] ?? 0) - before >= 2;
  }

  function step(limit: number): number {
    const newest = feed.newest();
    const entries = feed.after(fact("place"), limit);
    const last = entries.at(-1);
    // All searchable entries have been read.
    const isAll = entries.length < limit;
    if (!last && newest <= fact("place")) return 0;
    return transaction(() => {
      const sessions = new Map<number, FeedSession | undefined>();
      const titled = new Set<number>();
      let added = 0;
      for (const entry of entries) {
        if (isOver()) throw new Error("the search is closing");
        const { session: pk, type, place } = entry;
        if (!sessions.has(pk)) sessions.set(pk, feed.session(pk));
        if (type === "began" || type === "titled") titled.add(pk);
        // SQLite can reuse the row id of an erased session.
        if (type === "began" && entry.entry().type !== "damaged") forget(pk, place);
        const session = sessions.get(pk);
        if (session && session.principal !== "" && addText(entry, session.principal)) added++;
      }
      for (const pk of [...titled].toSorted((one, two) => one - two)) setTitle(pk, sessions.get(pk));
      sql.countTexts.run(added);
      sql.setFact.run("place", isAll ? Math.max(newest, last?.place ?? 0) : (last?.place ?? newest));
      if (last) sql.setFact.run("sum", last.sum);
      if (last) sql.setFact.run("sum_place", last.place);
      return Math.max(entries.length, 1);
    });
  }

  return {
    step,
    forgetErased() {
      const there = feed.sessions();
      const indexed = sql.sessionWords.all(sessionMark, `${sessionMark}~`).map(({ term }) => sessionOf(String(term)));
      const seen = new Set([...indexed, ...sql.titled.all().map((row) => Number(row["rowid"]))]);
      const erased = [...seen].filter((session) => !there.has(session));
      for (const session of erased) transaction(() => forget(session, Number.MAX_SAFE_INTEGER));
      return erased.length;
    },
    place: () => fact("place"),
    tidyStep() {
      if (fact("erased") === 0) return changes(sql.merge) || changes(sql.mergeTitles);
      // The merge drops removed text and overwrites its space.
      database.exec("PRAGMA secure_delete = ON");
      const isMore = changes(sql.mergeAll);
      if (!isMore) sql.mergeAllTitles.run();
      database.exec("PRAGMA secure_delete = FAST");
      if (isMore) return true;
      sql.setFact.run("erased", 0);
      // The write-ahead log also contains the removed text.
      sql.emptyWal.all();
      return false;
    },
    isOfAnotherStore() {
      if (fact("place") > feed.newest()) return true;
      const last = feed.entry(fact("sum_place"));
      return last !== undefined && last.sum !== fact("sum");
    },
  };
}

const pagesOfMerge = 100;

/**
 * The words of a text for FTS5, which splits at every ASCII character that is not a letter or digit. ASCII lines are
 * passed unchanged, which is much faster; the parts and whole forms of identifiers are appended, because FTS5 does
 * not split them.
 */
function indexedWords(text: string, { split }: Splitter): string {
  let words = "";
  const add = (token: string) => void (words += ` ${token}`);
  for (let from = 0; from < text.length;) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    const line = text.slice(from, to);
    if (beyondAscii.test(line)) split(line, add);
    else {
      words += ` ${line}`;
      for (const identifier of identifiers(line)) split(identifier, add);
    }
    from = to + 1;
  }
  return words;
}

// oxlint-disable-next-line no-control-regex
const beyondAscii = /[^\u0000-\u007f]/u;

/** Matches words of several parts, and very long words. */
function* identifiers(line: string): Generator<string, void, void> {
  const joints = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]|[A-Za-z0-9][-_.'][A-Za-z0-9]|[A-Za-z0-9]{41}/gu;
  for (let joint = joints.exec(line); joint; joint = joints.exec(line)) {
    let from = joint.index;
    let to = joint.index + joint[0].length;
    while (from > 0 && isInside(line, from - 1)) from--;
    while (to < line.length && isInside(line, to)) to++;
    yield line.slice(from, to);
    joints.lastIndex = to;
  }
}

/** Whether the character is a letter, a digit, or a joiner between two of them. */
function isInside(line: string, index: number): boolean {
  const code = line.charCodeAt(index);
  if (isPlain(code)) return true;
  return jointCodes.has(code) && isPlain(line.charCodeAt(index - 1)) && isPlain(line.charCodeAt(index + 1));
}

const jointCodes: ReadonlySet<number> = new Set(Array.from("-_.'", (char) => char.charCodeAt(0)));

function isPlain(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90);
}
