import { dirname } from "node:path";

import { once } from "../base/async/once.ts";
import type { Clock } from "../base/clock.ts";
import { randomHex, sha256 } from "../base/digest.ts";
import { openDatabaseFile, switchToWal } from "../base/files/database-file.ts";
import { makeFolderSync } from "../base/files/make-folder.ts";
import type { FailureMark, Learning, LearningStore } from "../contracts/knowledge/learning.ts";
import type { Rating } from "../contracts/session/session.ts";

/**
 * Stores learnings in a separate SQLite file. The file stays small: when there are too many fixes, the least likely
 * ones are deleted. A damaged file is renamed and replaced by a new one, which is reported through `say`.
 */
export async function openLearningStore(
  path: string,
  clock: Clock,
  say: (sentence: string) => void,
): Promise<LearningStore> {
  makeFolderSync(dirname(path), 0o700);
  const database = await openDatabaseFile(
    path,
    (db) => {
      switchToWal(db);
      db.exec(`${schema} SELECT count(*) FROM learnings;`);
    },
    (aside) => say(`The learnings file ${path} is damaged. It was moved to ${aside}, and Hermes started a new one.`),
  );
  const prepared = (text: string) => once(() => database.prepare(text));
  const sql = {
    byMark: prepared("SELECT * FROM learnings WHERE principal = ? AND mark = ?"),
    all: prepared("SELECT * FROM learnings WHERE principal = ?"),
    learn: prepared(
      "INSERT INTO learnings (id, principal, mark, tool, place, program, error, failed, fix, worked, failed_again, created_at, seen_at) " +
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, 0, ?, ?) ON CONFLICT (principal, mark, fix) DO UPDATE SET worked = worked + 1, seen_at = excluded.seen_at",
    ),
    doubt: prepared("UPDATE learnings SET failed_again = failed_again + 1, seen_at = ? WHERE id = ? AND principal = ?"),
    forget: prepared("DELETE FROM learnings WHERE principal = ? AND (? IS NULL OR id = ?)"),
    drop: prepared("DELETE FROM learnings WHERE id = ?"),
    rate: prepared(
      "INSERT INTO skill_ratings (skill, sum, count, at) VALUES (?, ?, 1, ?) " +
        "ON CONFLICT (skill) DO UPDATE SET sum = sum + excluded.sum, count = count + 1, at = excluded.at",
    ),
    ratings: prepared("SELECT skill, sum, count FROM skill_ratings"),
  };

  const learningsOf = (rows: readonly unknown[]): readonly Learning[] =>
    rows.map((row) => learningOf(row as Row, clock.now())).toSorted((one, other) => other.confidence - one.confidence);

  function makeRoom(principal: string): void {
    const all = learningsOf(sql.all().all(principal));
    for (const { id } of all.slice(maxLearnings)) sql.drop().run(id);
    for (const { id, confidence } of all) if (confidence < forgotten) sql.drop().run(id);
  }

  return {
    async find(mark, who) {
      const [best] = learningsOf(sql.byMark().all(who.id, keyOf(mark)));
      return best && best.confidence >= likely ? best : undefined;
    },
    async learn(mark, { failed, fix }, who) {
      const { tool, place, program, error } = mark;
      const now = clock.now();
      sql.learn().run(`l_${randomHex(3)}`, who.id, keyOf(mark), tool, place, program, error, failed, fix, now, now);
      makeRoom(who.id);
    },
    async doubt(id, who) {
      sql.doubt().run(clock.now(), id, who.id);
    },
    list: async (who) => learningsOf(sql.all().all(who.id)),
    forget: async (id, who) => Number(sql.forget().run(who.id, id ?? null, id ?? null).changes),
    async rate(skills, rating) {
      for (const skill of new Set(skills)) sql.rate().run(skill, ratingValues[rating], clock.now());
    },
    async skillScores() {
      const rows = sql.ratings().all();
      // A single rating has less weight than many ratings: the score is moved towards 0.
      return new Map(rows.map(({ skill, sum, count }) => [String(skill), Number(sum) / (Number(count) + 2)]));
    },
    async [Symbol.asyncDispose]() {
      if (database.isOpen) database.close();
    },
  };
}

const schema = `
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS learnings (
    id TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    mark TEXT NOT NULL,
    tool TEXT NOT NULL,
    place TEXT NOT NULL,
    program TEXT NOT NULL,
    error TEXT NOT NULL,
    failed TEXT NOT NULL,
    fix TEXT NOT NULL,
    worked INTEGER NOT NULL,
    failed_again INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    UNIQUE (principal, mark, fix)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS skill_ratings (
    skill TEXT PRIMARY KEY,
    sum REAL NOT NULL,
    count INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
`;

const maxLearnings = 2_000;
/**
 * The minimum confidence at which a fix is shown. One success is enough; after two failures in a row the fix is hidden.
 */
const likely = 0.5;
/** The confidence below which a fix is deleted. */
const forgotten = 0.1;
const halfLifeMs = 180 * 24 * 3_600_000;

const ratingValues: Readonly<Record<Rating, number>> = { perfect: 1, good: 0.5, issues: -0.5, failed: -1 };

interface Row {
  readonly id: string;
  readonly tool: string;
  readonly place: string;
  readonly program: string;
  readonly error: string;
  readonly failed: string;
  readonly fix: string;
  readonly worked: number;
  readonly failed_again: number;
  readonly created_at: number;
  readonly seen_at: number;
}

function learningOf(row: Row, now: number): Learning {
  const { id, tool, place, program, error, failed, fix, worked, failed_again: failedAgain } = row;
  const age = Math.max(0, now - row.seen_at);
  return {
    id,
    mark: { tool, place, program, error },
    failed,
    fix,
    worked,
    failedAgain,
    createdAt: row.created_at,
    seenAt: row.seen_at,
    confidence: ((worked + 1) / (worked + failedAgain + 2)) * 0.5 ** (age / halfLifeMs),
  };
}

function keyOf({ tool, place, program, error }: FailureMark): string {
  return sha256(JSON.stringify([tool, place, program, error])).slice(0, 32);
}
