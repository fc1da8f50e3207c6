import type { DatabaseSync, StatementSync } from "node:sqlite";

/** So that `id` is what the line says, and not what the index says: one of them may be damaged. */
const live = "pk = (SELECT pk FROM sessions WHERE id = ?) AND deleted_at IS NULL";
const place =
  "pk, id, max(coalesce(head, 0), coalesce((SELECT max(pk) FROM entries WHERE session = sessions.pk), 0)) AS head";
const shown = "principal = ? AND deleted_at IS NULL";
/** `pk` is the place in time of an entry, whatever the clock said; each session has at least one. */
const lastFirst = "ORDER BY head DESC";
const sums = "sum(cost_usd) AS cost, sum(tokens) AS tokens, count(*) AS calls, count(*) - count(cost_usd) AS unknown";

/** Prepared when first used: a program that only lists needs few of them. */
export function prepareStatements(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const lazily = (text: string) => () => {
    let statement = prepared.get(text);
    if (!statement) prepared.set(text, (statement = database.prepare(text)));
    return statement;
  };
  return {
    session: lazily(`SELECT * FROM sessions WHERE ${live}`),
    /** The newest entry is the head; the column says so too, and if one of both is damaged the other is believed. */
    place: lazily(`SELECT ${place} FROM sessions WHERE ${live}`),
    /** For one that the index does not have: the index may be damaged. */
    placeUnindexed: lazily(`SELECT ${place} FROM sessions NOT INDEXED WHERE +id = ? AND deleted_at IS NULL`),
    indexed: lazily("SELECT pk FROM sessions WHERE id = ?"),
    sessionId: lazily("SELECT id FROM sessions WHERE pk = ?"),
    addSession: lazily(
      "INSERT INTO sessions (id, principal, source, cwd, model, title, parent, created_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk",
    ),
    byId: lazily(`SELECT * FROM sessions WHERE ${shown} AND id = ?`),
    byTitle: lazily(`SELECT * FROM sessions WHERE ${shown} AND title = ? ${lastFirst} LIMIT 1`),
    byPrefix: lazily(`SELECT * FROM sessions WHERE ${shown} AND id >= ? AND id < ? LIMIT 2`),
    latest: lazily(`SELECT * FROM sessions WHERE ${shown} ${lastFirst} LIMIT 1`),
    list: lazily(
      `SELECT * FROM sessions WHERE ${shown} AND (? IS NULL OR source = ?) AND changed_at < ? ${lastFirst} LIMIT ?`,
    ),
    lastPk: lazily("SELECT seq AS pk FROM sqlite_sequence WHERE name = 'entries'"),
    addEntry: lazily("INSERT INTO entries (pk, session, parent, at, type, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)"),
    moveHead: lazily(
      "UPDATE sessions SET head = ?, changed_at = ?, messages = messages + ?, preview = coalesce(preview, ?) WHERE pk = ?",
    ),
    setTitle: lazily("UPDATE sessions SET title = ?, title_by = ? WHERE pk = ?"),
    addUsage: lazily("INSERT INTO usage (entry, session, at, tokens, cost_usd) VALUES (?, ?, ?, ?, ?)"),
    entriesDown: lazily("SELECT * FROM entries WHERE session = ? AND pk <= ? ORDER BY pk DESC"),
    first: lazily("SELECT * FROM entries WHERE session = ? ORDER BY pk LIMIT 1"),
    entry: lazily("SELECT * FROM entries WHERE pk = ?"),
    entryBefore: lazily("SELECT max(pk) AS pk FROM entries WHERE session = ? AND pk < ?"),
    isEntryOf: lazily("SELECT 1 FROM entries WHERE session = ? AND pk = ?"),
    newest: lazily("SELECT * FROM entries ORDER BY pk DESC LIMIT ?"),
    spentSince: lazily(`SELECT ${sums} FROM usage WHERE at >= ?`),
    spentBy: lazily(
      `WITH RECURSIVE family (pk) AS (VALUES (?) UNION SELECT sessions.pk FROM sessions JOIN family ON sessions.parent = family.pk) SELECT ${sums} FROM usage JOIN family ON usage.session = family.pk WHERE at >= ?`,
    ),
  };
}

export type Statements = ReturnType<typeof prepareStatements>;

/** The columns are those of our own schema. */
export function asRow<R>(row: unknown): R | undefined {
  return row as R | undefined;
}

export function asRows<R>(rows: readonly unknown[]): readonly R[] {
  return rows as readonly R[];
}
