import { DatabaseSync } from "node:sqlite";

/** Versions of the Python schema that change what an import reads. */
export const originalVersions = [11, 16, 20, 23, 25] as const;
type OriginalVersion = (typeof originalVersions)[number];

const sessionColumns: readonly (readonly [since: number, columns: string])[] = [
  [
    0,
    "id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT, " +
      "parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, " +
      "tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0, " +
      "cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0, " +
      "billing_provider TEXT, estimated_cost_usd REAL, actual_cost_usd REAL, title TEXT",
  ],
  [16, "cwd TEXT, session_key TEXT, chat_id TEXT, api_call_count INTEGER DEFAULT 0"],
  [20, "archived INTEGER DEFAULT 0, pinned INTEGER DEFAULT 0, rewind_count INTEGER DEFAULT 0"],
  [25, "system_prompt_hash TEXT, hidden INTEGER DEFAULT 0, last_read_at REAL"],
];

const messageColumns: readonly (readonly [since: number, columns: string])[] = [
  [
    0,
    "id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT, " +
      "tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER, " +
      "finish_reason TEXT, reasoning TEXT",
  ],
  [16, "reasoning_content TEXT, active INTEGER DEFAULT 1"],
  [20, "compacted INTEGER DEFAULT 0, api_content TEXT"],
  [23, "display_kind TEXT, effect_disposition TEXT"],
];

type Row = Readonly<Record<string, string | number | null>>;

/** A `state.db` as a version of the Python program would write it. Omits columns that the version lacks. */
export function writeOriginalDatabase(path: string, version: OriginalVersion, rows: OriginalRows): void {
  using database = new DatabaseSync(path);
  const columns = (of: typeof sessionColumns) => of.filter(([since]) => since <= version).map(([, text]) => text);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE schema_version (version INTEGER NOT NULL);
    INSERT INTO schema_version VALUES (${version});
    CREATE TABLE sessions (${columns(sessionColumns).join(", ")});
    CREATE TABLE messages (${columns(messageColumns).join(", ")});
    CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
  `);
  if (version >= 20) {
    database.exec(
      "CREATE TABLE session_model_usage (session_id TEXT, model TEXT, billing_provider TEXT, billing_base_url TEXT, " +
        "billing_mode TEXT, task TEXT, call_count INTEGER, input_tokens INTEGER, output_tokens INTEGER, " +
        "cache_read_tokens INTEGER, cache_write_tokens INTEGER, reasoning_tokens INTEGER, estimated_cost_usd REAL, " +
        "actual_cost_usd REAL, first_seen REAL, last_seen REAL, " +
        "PRIMARY KEY (session_id, model, billing_provider, billing_base_url, billing_mode, task))",
    );
  }
  for (const row of rows.sessions) insert(database, "sessions", row);
  for (const row of rows.messages) insert(database, "messages", row);
  if (version >= 20) for (const row of rows.usage ?? []) insert(database, "session_model_usage", row);
}

export interface OriginalRows {
  readonly sessions: readonly Row[];
  readonly messages: readonly Row[];
  readonly usage?: readonly Row[];
}

function insert(database: DatabaseSync, table: string, row: Row): void {
  const columns = new Set(
    database
      .prepare("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name }) => name),
  );
  const names = Object.keys(row).filter((name) => columns.has(name));
  const values = names.map((name) => row[name] ?? null);
  database
    .prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`)
    .run(...values);
}
