import type { DatabaseSync, StatementSync } from "node:sqlite";

import { agentSource } from "../contracts/session/agents.ts";
import { hiddenSource, oneShotSource } from "../contracts/session/session.ts";
import { writesName } from "./acknowledged-writes.ts";

/** Reads `id` from the row instead of the index, because either may be damaged. */
const live = "pk = (SELECT pk FROM sessions WHERE id = ?) AND deleted_at IS NULL";
const place =
  "pk, id, max(coalesce(head, 0), coalesce((SELECT max(pk) FROM entries WHERE session = sessions.pk), 0)) AS head";
const shown = "principal = ? AND deleted_at IS NULL";
/** The order of writing, which is independent of the clock. */
const lastFirst = "ORDER BY rank DESC, changed_at DESC";
const sums = "sum(cost_usd) AS cost, sum(tokens) AS tokens, count(*) AS calls, count(*) - count(cost_usd) AS unknown";

/** Statements are prepared on first use, because a program usually needs few of them. */
export function prepareStatements(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>();
  const lazily = (text: string) => () => {
    let statement = prepared.get(text);
    if (!statement) prepared.set(text, (statement = database.prepare(text)));
    return statement;
  };
  return {
    /** Must be called after the database was reopened. */
    forget: () => prepared.clear(),
    session: lazily(`SELECT * FROM sessions WHERE ${live}`),
    /** The newest entry is the head. The column stores it too, in case one of them is damaged. */
    place: lazily(`SELECT ${place} FROM sessions WHERE ${live}`),
    /** Used for an entry that is missing in a damaged index. */
    placeUnindexed: lazily(`SELECT ${place} FROM sessions NOT INDEXED WHERE +id = ? AND deleted_at IS NULL`),
    indexed: lazily("SELECT pk FROM sessions WHERE id = ?"),
    sessionId: lazily("SELECT id FROM sessions WHERE pk = ?"),
    addSession: lazily(
      "INSERT INTO sessions (id, principal, source, cwd, model, title, parent, created_at, changed_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING pk",
    ),
    /** Includes deleted sessions. */
    anySession: lazily("SELECT * FROM sessions WHERE id = ? AND principal = ?"),
    placeOfAny: lazily(`SELECT ${place} FROM sessions WHERE pk = ?`),
    byId: lazily(`SELECT * FROM sessions WHERE ${shown} AND id = ?`),
    byTitle: lazily(`SELECT * FROM sessions WHERE ${shown} AND title = ? ${lastFirst} LIMIT 1`),
    byPrefix: lazily(`SELECT * FROM sessions WHERE ${shown} AND id >= ? AND id < ? LIMIT 2`),
    latest: lazily(
      `SELECT * FROM sessions WHERE ${shown} AND archived_at IS NULL AND source NOT IN ('${agentSource}', '${hiddenSource}') ${lastFirst} LIMIT 1`,
    ),
    children: lazily("SELECT * FROM sessions WHERE parent = ? AND principal = ? AND deleted_at IS NULL ORDER BY pk"),
    list: lazily(listOf("deleted_at IS NULL AND archived_at IS NULL")),
    listArchived: lazily(listOf("deleted_at IS NULL AND archived_at IS NOT NULL")),
    listDeleted: lazily(listOf("deleted_at IS NOT NULL")),
    /** See `lostCommits`. */
    countWrite: lazily(`UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = '${writesName}' RETURNING seq`),
    lastPrimaryKey: lazily("SELECT seq AS pk FROM sqlite_sequence WHERE name = 'entries'"),
    addEntry: lazily("INSERT INTO entries (pk, session, parent, at, type, body, sum) VALUES (?, ?, ?, ?, ?, ?, ?)"),
    moveHead: lazily(
      "UPDATE sessions SET head = ?1, rank = ?1, changed_at = ?2, messages = messages + ?3, preview = coalesce(preview, ?4) WHERE pk = ?5",
    ),
    /** Used for changes that are not part of the conversation. */
    setHead: lazily("UPDATE sessions SET head = ? WHERE pk = ?"),
    setChange: lazily("UPDATE sessions SET changed_at = ?, rank = ? WHERE pk = ?"),
    rankAt: lazily("SELECT max(rank) AS rank FROM sessions WHERE principal = ? AND changed_at <= ? AND pk <> ?"),
    setSource: lazily("UPDATE sessions SET source = ? WHERE pk = ?"),
    setTags: lazily("UPDATE sessions SET tags = ? WHERE pk = ?"),
    setArchived: lazily("UPDATE sessions SET archived_at = ? WHERE pk = ?"),
    setDeleted: lazily("UPDATE sessions SET deleted_at = ? WHERE pk = ?"),
    /** A title of the model never replaces a title of the user. */
    setTitle: lazily(
      "UPDATE sessions SET title = ?1, title_by = ?2 WHERE pk = ?3 AND (?2 = 'user' OR title IS NULL OR title_by = 'model')",
    ),
    addUsage: lazily("INSERT INTO usage (entry, session, at, tokens, cost_usd) VALUES (?, ?, ?, ?, ?)"),
    entriesDown: lazily("SELECT * FROM entries WHERE session = ? AND pk <= ? ORDER BY pk DESC"),
    entriesOfType: lazily("SELECT * FROM entries WHERE session = ? AND type = ? ORDER BY pk"),
    entriesAfter: lazily(
      "SELECT entries.*, sessions.id AS session_id FROM entries JOIN sessions ON sessions.pk = entries.session WHERE entries.pk > ? AND entries.type <> 'began' AND sessions.principal <> '' ORDER BY entries.pk LIMIT ?",
    ),
    first: lazily("SELECT * FROM entries WHERE session = ? ORDER BY pk LIMIT 1"),
    entry: lazily("SELECT * FROM entries WHERE pk = ?"),
    entryBefore: lazily("SELECT max(pk) AS pk FROM entries WHERE session = ? AND pk < ?"),
    isEntryOf: lazily("SELECT 1 FROM entries WHERE session = ? AND pk = ?"),
    newest: lazily("SELECT * FROM entries ORDER BY pk DESC LIMIT ?"),
    orphan: lazily("UPDATE sessions SET parent = NULL WHERE parent = ?"),
    hideForGood: lazily(
      "UPDATE sessions SET id = iif(principal = '', id, 'erased:' || id), principal = '', cwd = NULL, title = NULL, parent = NULL, preview = NULL, tags = NULL, deleted_at = 0 WHERE pk = ?",
    ),
    dropBegan: lazily(
      "DELETE FROM entries WHERE pk = (SELECT min(pk) FROM entries WHERE session = ?1) AND type = 'began'",
    ),
    sizes: lazily("SELECT pk, octet_length(body) AS bytes FROM entries WHERE session = ? ORDER BY pk LIMIT ?"),
    traces: lazily(
      `SELECT pk, type, body FROM entries WHERE session = ? AND pk > ? AND (type = 'dispatched' OR (type = 'message' AND instr(body, 'out-') > 0) OR (type = 'settled' AND (instr(body, 'out-') > 0 OR instr(body, '"parentCallId":') > 0))) ORDER BY pk LIMIT ?`,
    ),
    dropUsage: lazily("DELETE FROM usage WHERE session = ? AND entry <= ?"),
    dropEntries: lazily("DELETE FROM entries WHERE session = ? AND pk <= ?"),
    dropSession: lazily("DELETE FROM sessions WHERE pk = ?"),
    spentSince: lazily(`SELECT ${sums} FROM usage WHERE at >= ?`),
    spentByPrincipal: lazily(
      `SELECT ${sums} FROM usage JOIN sessions ON sessions.pk = usage.session WHERE usage.at >= ? AND principal = ?`,
    ),
    spentBy: lazily(
      `WITH RECURSIVE family (pk) AS (VALUES (?) UNION SELECT sessions.pk FROM sessions JOIN family ON sessions.parent = family.pk) SELECT ${sums} FROM usage JOIN family ON usage.session = family.pk WHERE at >= ?`,
    ),
  };
}

/** An SQL condition. The row of a session has no checksum, so a value that is not a list means no tags. */
export function tagCondition(tag: string): string {
  return `EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(tags) THEN tags ELSE '[]' END) WHERE value = ${tag})`;
}

function listOf(which: string): string {
  const filter = `((?2 IS NULL AND source <> '${hiddenSource}') OR source = ?2) AND changed_at < ?3 AND (?6 IS NULL OR cwd = ?6)`;
  const talked = `(?7 = 0 OR (source NOT IN ('${oneShotSource}', '${agentSource}') AND messages > 0))`;
  const tagged = `(?4 IS NULL OR ${tagCondition("?4")})`;
  return `SELECT * FROM sessions WHERE principal = ?1 AND ${which} AND ${filter} AND ${tagged} AND ${talked} ${lastFirst} LIMIT ?5`;
}

export type Statements = ReturnType<typeof prepareStatements>;

/** The columns are those of this schema. */
export function asRow<R>(row: unknown): R | undefined {
  return row as R | undefined;
}

export function asRows<R>(rows: readonly unknown[]): readonly R[] {
  return rows as readonly R[];
}
