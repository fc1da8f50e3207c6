import { asId, type SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { CheckpointFault, Restored, RestoreOptions, RestorePlan } from "../contracts/knowledge/checkpoint.ts";
import type { Ground } from "./ground.ts";
import { isBelowOrSame, recordPath } from "./paths.ts";
import type { NewRecord, StoredRecord } from "./record-store.ts";
import { type Planned, type PlannedChange, planRestore, stepsFor } from "./restore-plan.ts";
import type { HeldRoot } from "./root-access.ts";
import { textDiff } from "./text-diff.ts";
import { inTransaction, mostAfterwards, note, see, type Seen } from "./workspace-files.ts";

export interface Asked extends RestoreOptions {
  /** Undefined: changes of all sessions. */
  readonly session: string | undefined;
}

/** The locked record of a workspace, and its files. */
export interface RestorePlace extends HeldRoot {
  readonly ground: Ground;
  readonly root: string;
}

export async function planFiles(
  id: string,
  asked: Asked,
  at: RestorePlace,
  signal: AbortSignal,
): Promise<Result<RestorePlan, CheckpointFault>> {
  const result = await planned(id, asked, at, signal);
  if (!result.ok) return result;
  const { record, changes, left, seen } = result.value;
  inTransaction(at.database, false, () => note(seen, at.store.open(), at.store));
  return ok({ checkpoint: record.checkpoint, root: at.root, changes: changes.map(shown), left });
}

export async function diffFiles(
  id: string,
  asked: Asked,
  at: RestorePlace,
  signal: AbortSignal,
): Promise<Result<string, CheckpointFault>> {
  const result = await planned(id, asked, at, signal);
  return result.ok ? textDiff(result.value.changes, at.ground, signal) : result;
}

/** Restores files, recorded like a call so that it can be undone. */
export async function restoreFiles(
  id: string,
  asked: Asked,
  at: RestorePlace & { newRecord(about: Pick<NewRecord, "kind" | "label"> & Partial<NewRecord>): NewRecord },
  signal: AbortSignal,
): Promise<Result<Restored, CheckpointFault>> {
  const result = await planned(id, asked, at, signal);
  if (!result.ok) return result;
  const { database, store, ground, root } = at;
  const { record, changes, seen } = result.value;
  const isDone = ({ doubt }: PlannedChange) => doubt === undefined || asked.withDoubts === true;
  const doing = changes.filter(isDone);
  const refused = changes.filter((change) => !isDone(change)).map(({ path, doubt = "" }) => ({ path, why: doubt }));
  const left = [...result.value.left, ...refused];
  const about = { checkpoint: record.checkpoint, root };
  if (doing.length === 0) {
    inTransaction(database, false, () => note(seen, store.open(), store));
    return ok({ ...about, changes: [], left });
  }
  const undo = inTransaction(database, true, () => {
    note(seen, store.open(), store);
    const by = asked.session === undefined ? {} : { sessionId: asId<SessionId>(asked.session) };
    const label = `restored to before ${record.checkpoint.name ?? record.checkpoint.label}`;
    return store.add(
      at.newRecord({ ...by, kind: "restore", label, scope: doing.map(({ path }) => path), isOpen: true }),
    );
  });
  const failed = await ground.apply(stepsFor(doing), signal);
  const after = await see(undo.scope, at, new AbortController().signal, mostAfterwards);
  if (!after.ok) return after;
  inTransaction(database, true, () => {
    note(after.value, [undo], store);
    store.close(undo.seq, []);
  });
  if (!failed.ok) return failed;
  const whyNot = new Set(failed.value.map(({ path }) => path));
  return ok({
    ...about,
    changes: doing.filter(({ path }) => !whyNot.has(path)).map(shown),
    left: [...left, ...failed.value],
    undo: store.byId(undo.checkpoint.id)?.checkpoint ?? undo.checkpoint,
  });
}

async function planned(
  id: string,
  { path, session }: Asked,
  at: RestorePlace,
  signal: AbortSignal,
): Promise<Result<Planned & { readonly record: StoredRecord; readonly seen: Seen }, CheckpointFault>> {
  const record = at.store.byId(id);
  if (!record) return err({ message: `checkpoint ${id} no longer exists` });
  const below = path === undefined ? undefined : recordPath(at.root, path);
  // Naming a checkpoint of another session selects the changes of that session.
  const of = session === undefined ? undefined : (record.checkpoint.sessionId ?? session);
  const changes = at.store
    .changesFrom(record.seq, of)
    .filter((change) => below === undefined || isBelowOrSame(change.path, below));
  const paths = Array.from(new Set(changes.map((change) => change.path)));
  const seen = await see(paths, at, signal, mostAfterwards);
  return seen.ok ? ok({ ...planRestore(changes, seen.value.current), record, seen: seen.value }) : seen;
}

function shown({ path, how, kind, bytesNow, bytesThen, doubt }: PlannedChange) {
  return { path, how, kind, bytesNow, bytesThen, ...(doubt !== undefined && { doubt }) };
}
