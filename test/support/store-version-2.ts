import { DatabaseSync } from "node:sqlite";

import { schemaOfVersion1 } from "./store-version-1.ts";

/**
 * A store as version 2 wrote it: of "local:anna" a session with a branch, a title, a tag and what it cost, one from
 * elsewhere that is old, and an archived one that another began; of "local:bob" a deleted one. Never changed: it
 * represents existing files of users.
 */
export function writeStoreOfVersion2(path: string): void {
  using database = new DatabaseSync(path);
  database.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
  database.exec(schemaOfVersion1);
  database.exec(`
  ALTER TABLE sessions ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;
  UPDATE sessions SET rank = coalesce(head, 0);
  DROP INDEX sessions_by_change;
  CREATE INDEX sessions_by_rank ON sessions (principal, rank, changed_at);
  CREATE INDEX sessions_by_deletion ON sessions (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  INSERT INTO sqlite_sequence VALUES ('writes', 11);
  INSERT INTO facts VALUES ('kept', '1767268800000');
  PRAGMA application_id = 0x4865726d; PRAGMA user_version = 2`);
  const fill = (table: string, rows: readonly (readonly (string | number | null)[])[]) => {
    for (const row of rows) {
      database.prepare(`INSERT INTO ${table} VALUES (${row.map(() => "?").join(", ")})`).run(...row);
    }
  };
  fill("sessions", sessions);
  fill("entries", entries);
  fill("usage", [[4, 1, 1767268805000, 15, 0.25]]);
}

const anna = "local:anna";
const [first, second, third, fourth] = [
  "20260101_120001_aaaaaa",
  "20250101_000000_bbbbbb",
  "20260101_120002_cccccc",
  "20260101_120003_dddddd",
];

// oxfmt-ignore
const sessions = [
  [1, first, anna, "cli", "/home/anna", "p/m", "Grüße", "user", null, 1767268801000, 1767268806000, 8, 3, "grüß mich", '["keep"]', null, null, 7],
  [2, second, anna, "cli", null, null, "from long ago", null, null, 1735689600000, 1735689601000, 10, 1, "an old one", null, null, null, 0],
  [3, third, anna, "oneshot", null, null, null, null, 1, 1767268808000, 1767268808000, 12, 0, null, null, 1767268810000, null, 11],
  [4, fourth, "local:bob", "cli", null, null, null, null, null, 1767268811000, 1767268811000, 14, 0, null, null, null, 1767268813000, 13],
] as const;

// oxfmt-ignore
const entries = [
  [1, 1, null, 1767268801000, "began", `{"id":"${first}","source":"cli","principal":{"id":"local:anna"},"cwd":"/home/anna","model":"p/m"}`, 8222968160648337],
  [2, 1, 1, 1767268803000, "message", `{"message":{"role":"user","content":[{"type":"text","text":"grüß mich"}]},"turnId":"turn_1"}`, 686503483053607],
  [3, 1, 2, 1767268804000, "message", `{"message":{"role":"assistant","content":[{"type":"text","text":"Grüß dich 👋"}],"calls":[],"stop":"end"},"turnId":"turn_1"}`, 5786765025126321],
  [4, 1, 3, 1767268805000, "usage", `{"provider":"p","model":"m","task":"chat","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"reasoning":0,"costUsd":0.25}}`, 8184000170756798],
  [5, 1, 4, 1767268805000, "titled", `{"title":"Grüße","by":"user"}`, 5832692154358656],
  [6, 1, 2, 1767268806000, "head_moved", `{"to":"e2","why":"branch","name":"other"}`, 4035262710598207],
  [7, 1, 6, 1767268806000, "message", `{"message":{"role":"assistant","content":[{"type":"text","text":"Servus"}],"calls":[],"stop":"end"},"turnId":"turn_1"}`, 8268770949611488],
  [8, 1, 7, 1767268807000, "marked", `{"tags":["keep"]}`, 1665138606275168],
  [9, 2, null, 1735689600000, "began", `{"id":"${second}","source":"cli","principal":{"id":"local:anna"},"title":"from long ago"}`, 6099314503376060],
  [10, 2, 9, 1735689601000, "message", `{"message":{"role":"user","content":[{"type":"text","text":"an old one"}]},"turnId":"turn_1"}`, 3956915939778900],
  [11, 3, null, 1767268808000, "began", `{"id":"${third}","source":"oneshot","principal":{"id":"local:anna"},"parent":"${first}"}`, 2181887169892194],
  [12, 3, 11, 1767268810000, "marked", `{"archived":true}`, 6944051005527373],
  [13, 4, null, 1767268811000, "began", `{"id":"${fourth}","source":"cli","principal":{"id":"local:bob"}}`, 2358201909145370],
  [14, 4, 13, 1767268813000, "marked", `{"deleted":true}`, 6567897769256634],
] as const;
