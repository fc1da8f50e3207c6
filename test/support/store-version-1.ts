import { DatabaseSync } from "node:sqlite";

/**
 * A store as version 1 wrote it, byte for byte: one session of "local:anna", a question, a call with its result, and
 * its cost. Never change it: it represents existing files.
 */
export function writeStoreOfVersion1(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
  database.exec(schemaOfVersion1);
  database.exec("PRAGMA application_id = 0x4865726d; PRAGMA user_version = 1");
  const session = database.prepare(
    "INSERT INTO sessions (pk, id, principal, source, cwd, model, created_at, changed_at, head, messages, preview) VALUES (1, ?, 'local:anna', 'cli', '/home/anna', 'p/m', 1000, 2000, 7, 2, 'list my files')",
  );
  session.run(sessionOfVersion1);
  const entry = database.prepare("INSERT INTO entries VALUES (?, 1, ?, 2000, ?, ?, ?)");
  for (const [index, [type, body, sum]] of entries.entries())
    entry.run(index + 1, index === 0 ? null : index, type, body, sum);
  database.exec("INSERT INTO usage VALUES (7, 1, 2000, 15, 0.25)");
}

export const sessionOfVersion1 = "20260101_120000_abc123";

const entries = [
  [
    "began",
    `{"source":"cli","principal":{"id":"local:anna"},"cwd":"/home/anna","model":"p/m","id":"20260101_120000_abc123"}`,
    4630213959506833,
  ],
  ["prompted", `{"system":[{"text":"You are."}]}`, 230722574910761],
  [
    "message",
    `{"message":{"role":"user","content":[{"type":"text","text":"list my files"}]},"turnId":"turn_1"}`,
    1169540800862260,
  ],
  [
    "message",
    `{"message":{"role":"assistant","content":[],"calls":[{"id":"c1","name":"terminal","args":"{\\"command\\":\\"ls\\"}"}],"stop":"calls"},"turnId":"turn_1"}`,
    2806777397914746,
  ],
  ["dispatched", `{"callId":"c1"}`, 5466039651627674],
  [
    "settled",
    `{"callId":"c1","tool":"terminal","result":{"ok":true,"value":{"content":[{"type":"text","text":"Grüße.txt"}]}},"durationMs":4}`,
    2518563505359029,
  ],
  [
    "usage",
    `{"provider":"p","model":"m","task":"chat","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"reasoning":0,"costUsd":0.25}}`,
    7274957529481317,
  ],
] as const;

export const schemaOfVersion1 = `
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
`;
