import type { DatabaseSync } from "node:sqlite";

import { asId } from "../base/ids.ts";
import type { Checkpoint } from "../contracts/knowledge/checkpoint.ts";
import type { FileState } from "./file-state.ts";
import { createScopeMatcher } from "./paths.ts";

/** A checkpoint with fields that only the store needs. */
export interface StoredRecord {
  readonly seq: number;
  readonly checkpoint: Checkpoint;
  /** Paths at or below which the call may have changed something. An empty string means the whole workspace. */
  readonly scope: readonly string[];
  readonly pid: number;
}

export interface NewRecord extends Omit<Checkpoint, "changed" | "isOpen" | "id"> {
  readonly id: string;
  readonly scope: readonly string[];
  readonly isOpen: boolean;
  readonly pid: number;
}

export interface Change {
  readonly seq: number;
  readonly path: string;
  readonly before: FileState;
  readonly after: FileState;
  /** Undefined if the change certainly belongs to this record. */
  readonly doubt?: ChangeDoubt;
}

/** The end of the call was not observed, or both a background process and the user may have changed the path. */
export type ChangeDoubt = "interrupted" | "background";

export interface SeenState {
  readonly stamp: string;
  readonly state: FileState;
}

/** Records, their changes, and the last known state of every path. The caller manages transactions. */
export interface RecordStore {
  /** The states at and below a path. */
  states(path: string): ReadonlyMap<string, SeenState>;
  setState(path: string, seen: SeenState | undefined): void;
  add(record: NewRecord): StoredRecord;
  close(seq: number, notes: readonly string[]): void;
  /** Deletes a record without changes. */
  drop(seq: number): void;
  open(): readonly StoredRecord[];
  /** Checkpoints, newest first. */
  list(query: { readonly limit: number; readonly session?: string }): readonly StoredRecord[];
  byId(id: string): StoredRecord | undefined;
  /** Records with this id prefix or name, newest first. */
  matching(text: string): readonly StoredRecord[];
  /** Adds or updates the change of a record at a path. */
  change(seq: number, path: string, before: FileState, after: FileState, doubt: ChangeDoubt | undefined): void;
  /** The changes of that record and of all later records, in order. */
  changesFrom(seq: number, session: string | undefined): readonly Change[];
}

export function createRecordStore(database: DatabaseSync): RecordStore {
  const one = database.prepare("SELECT path, stamp, state FROM states WHERE path = ?");
  const below = database.prepare("SELECT path, stamp, state FROM states WHERE path >= ? AND path < ?");
  const inside = database.prepare("SELECT path, stamp, state FROM states WHERE path < '/' OR path >= '0'");
  const setState = database.prepare("INSERT OR REPLACE INTO states (path, stamp, state) VALUES (?, ?, ?)");
  const unsetState = database.prepare("DELETE FROM states WHERE path = ?");
  const insert = database.prepare(
    "INSERT INTO records (id, kind, at, session, turn, call, tool, label, name, scope, open, pid, notes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const columns = "*, (SELECT count(*) FROM changes WHERE changes.seq = records.seq) AS changed";
  const bySeq = database.prepare(`SELECT ${columns} FROM records WHERE seq = ?`);
  const byId = database.prepare(`SELECT ${columns} FROM records WHERE id = ?`);
  const opened = database.prepare(`SELECT ${columns} FROM records WHERE open = 1 ORDER BY seq`);
  const listed = database.prepare(
    `SELECT ${columns} FROM records WHERE (?1 IS NULL OR session = ?1) AND (kind <> 'process' OR changed > 0) ORDER BY seq DESC LIMIT ?2`,
  );
  const matching = database.prepare(
    `SELECT ${columns} FROM records WHERE substr(id, 1, length(?1)) = ?1 OR substr(id, 4, length(?1)) = ?1 OR name = ?1 ORDER BY seq DESC LIMIT 20`,
  );
  const close = database.prepare("UPDATE records SET open = 0, notes = ? WHERE seq = ?");
  const drop = database.prepare("DELETE FROM records WHERE seq = ?");
  const change = database.prepare(
    "INSERT INTO changes (seq, path, before, after, unsure) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (seq, path) DO UPDATE SET after = ?4, unsure = max(unsure, ?5)",
  );
  const changes = database.prepare(
    "SELECT changes.* FROM changes JOIN records USING (seq) WHERE seq >= ?1 AND (?2 IS NULL OR session = ?2) ORDER BY seq",
  );

  return {
    states(path) {
      const rows = path === "" ? inside.all() : [...one.all(path), ...below.all(`${path}/`, `${path}0`)];
      return new Map(rows.map((row) => [text(row["path"]), { stamp: text(row["stamp"]), state: text(row["state"]) }]));
    },
    setState(path, seen) {
      if (seen) setState.run(path, seen.stamp, seen.state);
      else unsetState.run(path);
    },
    add(record) {
      const { id, kind, takenAt, sessionId, turnId, callId, tool, label, name, scope, isOpen, pid, notes } = record;
      const given = [sessionId, turnId, callId, tool].map((value) => value ?? null);
      const [session = null, turn = null, call = null, by = null] = given;
      const { lastInsertRowid } = insert.run(
        id,
        kind,
        takenAt,
        session,
        turn,
        call,
        by,
        label,
        name ?? null,
        JSON.stringify(scope),
        isOpen ? 1 : 0,
        pid,
        JSON.stringify(notes),
      );
      return recordOf(bySeq.get(lastInsertRowid) ?? {});
    },
    close: (seq, notes) => void close.run(JSON.stringify(notes), seq),
    drop: (seq) => void drop.run(seq),
    open: () => opened.all().map(recordOf),
    list: ({ limit, session }) => listed.all(session ?? null, limit).map(recordOf),
    byId(id) {
      const row = byId.get(id);
      return row && recordOf(row);
    },
    matching: (request) => matching.all(request).map(recordOf),
    change: (seq, path, before, after, doubt) =>
      void change.run(seq, path, before, after, doubt === undefined ? 0 : doubts.indexOf(doubt)),
    changesFrom: (seq, session) =>
      changes.all(seq, session ?? null).map((row) => {
        const doubt = doubts[Number(row["unsure"])];
        return {
          seq: Number(row["seq"]),
          path: text(row["path"]),
          before: text(row["before"]),
          after: text(row["after"]),
          ...(doubt !== undefined && { doubt }),
        };
      }),
  };
}

/** Words that are stored as their index. */
const doubts: readonly (ChangeDoubt | undefined)[] = [undefined, "interrupted", "background"];

/**
 * Finds the owner of a change: records that named the path take precedence over those that may change anything, and
 * calls over background processes. So a call that names a file is never confused with a long command that runs in
 * parallel.
 */
export function ownersAmong(open: readonly StoredRecord[]): (path: string) => readonly StoredRecord[] {
  const each = open.map((record) => ({ record, covers: createScopeMatcher(record.scope), rank: rankOf(record) }));
  return (path) => {
    const covering = each.filter(({ covers }) => covers(path));
    const first = Math.min(...covering.map(({ rank }) => rank));
    return covering.filter(({ rank }) => rank === first).map(({ record }) => record);
  };
}

/** Whether the record may have changed any path. */
export function canChangeAnything({ scope }: StoredRecord): boolean {
  return scope.includes("");
}

function rankOf(record: StoredRecord): number {
  return (canChangeAnything(record) ? 2 : 0) + (record.checkpoint.kind === "process" ? 1 : 0);
}

type Row = Readonly<Record<string, unknown>>;

function recordOf(row: Row): StoredRecord {
  const optional = (key: string) => (typeof row[key] === "string" ? text(row[key]) : undefined);
  const [session, turn, call, tool, name] = ["session", "turn", "call", "tool", "name"].map(optional);
  return {
    seq: Number(row["seq"]),
    scope: texts(row["scope"]),
    pid: Number(row["pid"]),
    checkpoint: {
      id: text(row["id"]),
      kind: kindOf(row["kind"]),
      takenAt: Number(row["at"]),
      ...(session !== undefined && { sessionId: asId(session) }),
      ...(turn !== undefined && { turnId: asId(turn) }),
      ...(call !== undefined && { callId: asId(call) }),
      ...(tool !== undefined && { tool }),
      label: text(row["label"]),
      ...(name !== undefined && { name }),
      changed: Number(row["changed"]),
      isOpen: row["open"] === 1,
      notes: texts(row["notes"]),
    },
  };
}

function kindOf(value: unknown): Checkpoint["kind"] {
  return value === "mark" || value === "restore" || value === "process" ? value : "call";
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function texts(value: unknown): readonly string[] {
  const read: unknown = JSON.parse(text(value) || "[]");
  return Array.isArray(read) ? read.filter((each) => typeof each === "string") : [];
}
