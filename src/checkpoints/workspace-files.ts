import type { DatabaseSync } from "node:sqlite";

import { err, ok, type Result, type Failure } from "../base/result.ts";
import { plural } from "../base/text/text.ts";
import { absent, type FileState } from "./file-state.ts";
import {
  type ChangeDoubt,
  canChangeAnything,
  ownersAmong,
  type RecordStore,
  type SeenState,
  type StoredRecord,
} from "./record-store.ts";
import type { WorkspaceFiles } from "./scan.ts";

/** Result of a scan and its differences from the last known states. Contents are already stored. */
export interface WorkspaceScan {
  readonly scope: readonly string[];
  readonly notes: readonly string[];
  readonly differences: readonly Difference[];
  current(path: string): FileState;
}

interface Difference {
  readonly path: string;
  readonly before: FileState;
  /** Undefined if the file was deleted. */
  readonly now: SeenState | undefined;
}

export type ScanFault = Failure & { readonly kind: "too_many" | "failed" };

/** The limit is high after a call, because a call may create many files. */
export const maxFilesAfterCall = 1_000_000;

/** Scans files and stores new contents. States and changes are not written yet. */
export async function scanWorkspace(
  paths: readonly string[],
  { files, store }: { readonly files: WorkspaceFiles; readonly store: RecordStore },
  signal: AbortSignal,
  maxFiles?: number,
): Promise<Result<WorkspaceScan, ScanFault>> {
  const looked = await files.look(paths, signal, maxFiles);
  if (!looked.ok) return looked;
  const { found: matches, scope, notes, isUnseen } = looked.value;
  const knownNames = new Map<string, SeenState>();
  for (const path of scope) for (const [each, state] of store.states(path)) knownNames.set(each, state);
  const isNew = (path: string, stamp: string) => stamp === "" || knownNames.get(path)?.stamp !== stamp;
  const requested = Array.from(matches.values()).filter(({ path, stamp, file }) => file && isNew(path, stamp));
  const kept = await files.keep(requested, signal);
  if (!kept.ok) return err({ ...kept.error, kind: "failed" });

  const differences: Difference[] = [];
  const now = new Map<string, SeenState>();
  for (const [path, { stamp, state, file }] of matches) {
    const before = knownNames.get(path);
    const isSame = file && !isNew(path, stamp);
    const seen = isSame ? before : file ? kept.value.get(path) : state === undefined ? undefined : { stamp, state };
    if (!seen) continue;
    now.set(path, seen);
    if (before?.state !== seen.state || before.stamp !== seen.stamp)
      differences.push({ path, before: before?.state ?? absent, now: seen });
  }
  for (const [path, { state }] of knownNames)
    if (!now.has(path) && !isUnseen(path)) differences.push({ path, before: state, now: undefined });
  const full = Array.from(kept.value.values()).filter(({ state }) => state.startsWith("u:full")).length;
  return ok({
    scope,
    notes: full === 0 ? notes : [...notes, `${plural(full, "file")} did not fit into checkpoints.max_total_size_mb`],
    differences,
    current: (path) => now.get(path)?.state ?? (isUnseen(path) ? knownNames.get(path)?.state : undefined) ?? absent,
  });
}

/** Writes states and changes with their owners. Call it within a transaction. */
export function saveScan(
  { differences }: WorkspaceScan,
  open: readonly StoredRecord[],
  store: RecordStore,
  doubt?: ChangeDoubt,
): void {
  const ownersOf = ownersAmong(open);
  for (const { path, before, now } of differences) {
    const after = now?.state ?? absent;
    if (before !== after)
      for (const owner of ownersOf(path))
        store.change(owner.seq, path, before, after, doubt ?? (isAnybodys(owner) ? "background" : undefined));
    store.setState(path, now);
  }
}

/**
 * Whether changes of this record cannot be distinguished from the user's, because it runs long and may change
 * anything.
 */
function isAnybodys(owner: StoredRecord): boolean {
  return owner.checkpoint.kind === "process" && canChangeAnything(owner);
}

/** Runs a function in a transaction. With `isDurable`, the data is synced to disk before it returns. */
export function inTransaction<T>(database: DatabaseSync, isDurable: boolean, work: () => T): T {
  database.exec(`PRAGMA synchronous = ${isDurable ? "FULL" : "NORMAL"}; BEGIN IMMEDIATE`);
  try {
    const done = work();
    database.exec("COMMIT");
    return done;
  } catch (thrown) {
    database.exec("ROLLBACK");
    throw thrown;
  }
}
