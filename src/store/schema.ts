/** Identifies a database as a session store of Hermes: "Herm". */
export const applicationId = 0x4865726d;

/**
 * Each migration upgrades a store from the version of its index to the next. A released migration must never change;
 * add a new one instead.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    pk INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    source TEXT NOT NULL,
    cwd TEXT,
    model TEXT,
    title TEXT,
    title_by TEXT,
    parent INTEGER REFERENCES sessions (pk),
    created_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    head INTEGER,
    messages INTEGER NOT NULL DEFAULT 0,
    preview TEXT,
    tags TEXT,
    archived_at INTEGER,
    deleted_at INTEGER
  ) STRICT;
  CREATE INDEX sessions_by_change ON sessions (principal, head);
  CREATE INDEX sessions_by_title ON sessions (principal, title) WHERE title IS NOT NULL;
  CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;

  CREATE TABLE entries (
    pk INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (pk),
    parent INTEGER,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    sum INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX entries_by_session ON entries (session, pk);

  CREATE TABLE usage (
    entry INTEGER PRIMARY KEY REFERENCES entries (pk),
    session INTEGER NOT NULL REFERENCES sessions (pk),
    at INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    cost_usd REAL
  ) STRICT;
  CREATE INDEX usage_by_time ON usage (at);
  CREATE INDEX usage_by_session ON usage (session);
  `,
  // `rank` determines the order of lists: the head or, for an imported session, a position that fits its time.
  `
  ALTER TABLE sessions ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
  UPDATE sessions SET rank = coalesce(head, 0);
  DROP INDEX sessions_by_change;
  CREATE INDEX sessions_by_rank ON sessions (principal, rank, changed_at);
  CREATE INDEX sessions_by_deletion ON sessions (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  INSERT INTO sqlite_sequence VALUES ('writes', 0);
  INSERT INTO facts VALUES ('kept', cast(unixepoch() * 1000 AS TEXT));
  `,
];
