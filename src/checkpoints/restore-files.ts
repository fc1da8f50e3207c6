import { asId, type SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { looksBinary } from "../base/text/binary-text.ts";
import { unifiedDiff } from "../base/text/unified-diff.ts";
import type { Restored, RestoreOptions, RestorePlan } from "../contracts/knowledge/checkpoint.ts";
import { type FileState, parseFileState } from "./file-state.ts";
import { isBelowOrSame, recordPath } from "./paths.ts";
import type { NewRecord, StoredRecord } from "./record-store.ts";
import { type PlannedRestore, type RestorePlanChange, planRestore, stepsFor } from "./restore-plan.ts";
import type { LockedRoot } from "./root-access.ts";
import type { WorkspaceFiles } from "./scan.ts";
import { inTransaction, maxFilesAfterCall, saveScan, scanWorkspace, type WorkspaceScan } from "./workspace-files.ts";

export interface RestoreRequest extends RestoreOptions {
  /** If undefined, changes of all sessions are returned. */
  readonly session: string | undefined;
}

/** The locked record of a workspace, and its files. */
export interface RestorePlace extends LockedRoot {
  readonly files: WorkspaceFiles;
  readonly root: string;
}

export async function planFiles(
  id: string,
  request: RestoreRequest,
  place: RestorePlace,
  signal: AbortSignal,
): Promise<Result<RestorePlan>> {
  const result = await planned(id, request, place, signal);
  if (!result.ok) return result;
  const { record, changes, left, seen } = result.value;
  inTransaction(place.database, false, () => saveScan(seen, place.store.open(), place.store));
  return ok({ checkpoint: record.checkpoint, root: place.root, changes: changes.map(shown), left });
}

export async function diffFiles(
  id: string,
  request: RestoreRequest,
  place: RestorePlace,
  signal: AbortSignal,
): Promise<Result<string>> {
  const result = await planned(id, request, place, signal);
  return result.ok ? textDiff(result.value.changes, place.files, signal) : result;
}

/** Restores files, recorded like a call so that it can be undone. */
export async function restoreFiles(
  id: string,
  request: RestoreRequest,
  place: RestorePlace & { newRecord(about: Pick<NewRecord, "kind" | "label"> & Partial<NewRecord>): NewRecord },
  signal: AbortSignal,
): Promise<Result<Restored>> {
  const result = await planned(id, request, place, signal);
  if (!result.ok) return result;
  const { database, store, files, root } = place;
  const { record, changes, seen } = result.value;
  const isDone = ({ doubt }: RestorePlanChange) => doubt === undefined || request.withDoubts === true;
  const doing = changes.filter(isDone);
  const refused = changes.filter((change) => !isDone(change)).map(({ path, doubt = "" }) => ({ path, why: doubt }));
  const left = [...result.value.left, ...refused];
  const about = { checkpoint: record.checkpoint, root };
  if (doing.length === 0) {
    inTransaction(database, false, () => saveScan(seen, store.open(), store));
    return ok({ ...about, changes: [], left });
  }
  const undo = inTransaction(database, true, () => {
    saveScan(seen, store.open(), store);
    const by = request.session === undefined ? {} : { sessionId: asId<SessionId>(request.session) };
    const { kind, name, label: change } = record.checkpoint;
    const label = kind === "mark" ? `to "${name ?? change}"` : `to the state before: ${change}`;
    return store.add(
      place.newRecord({ ...by, kind: "restore", label, scope: doing.map(({ path }) => path), isOpen: true }),
    );
  });
  const failed = await files.apply(stepsFor(doing), signal);
  const after = await scanWorkspace(undo.scope, place, new AbortController().signal, maxFilesAfterCall);
  if (!after.ok) return after;
  inTransaction(database, true, () => {
    saveScan(after.value, [undo], store);
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
  { path, session }: RestoreRequest,
  place: RestorePlace,
  signal: AbortSignal,
): Promise<Result<PlannedRestore & { readonly record: StoredRecord; readonly seen: WorkspaceScan }>> {
  const record = place.store.byId(id);
  if (!record) return err({ message: `checkpoint ${id} no longer exists` });
  const below = path === undefined ? undefined : recordPath(place.root, path);
  // Naming a checkpoint of another session selects that session's changes.
  const of = session === undefined ? undefined : (record.checkpoint.sessionId ?? session);
  const changes = place.store
    .changesFrom(record.seq, of)
    .filter((change) => below === undefined || isBelowOrSame(change.path, below));
  const paths = Array.from(new Set(changes.map((change) => change.path)));
  const seen = await scanWorkspace(paths, place, signal, maxFilesAfterCall);
  return seen.ok ? ok({ ...planRestore(changes, seen.value.current), record, seen: seen.value }) : seen;
}

function shown({ path, how, kind, bytesNow, bytesThen, doubt }: RestorePlanChange) {
  return { path, how, kind, bytesNow, bytesThen, ...(doubt !== undefined && { doubt }) };
}

/** A unified diff from the state that a restore would produce to the current state. */
async function textDiff(
  changes: readonly RestorePlanChange[],
  files: Pick<WorkspaceFiles, "content">,
  signal: AbortSignal,
): Promise<Result<string>> {
  const parts: string[] = [];
  let chars = 0;
  for (const [index, change] of changes.entries()) {
    if (chars > maxChars) {
      parts.push(`… ${changes.length - index} more`);
      break;
    }
    const part = await one(change, files, signal);
    chars += part.length;
    parts.push(part);
  }
  return ok(parts.join("\n"));
}

const maxChars = 60_000;

async function one({ path, now, old }: RestorePlanChange, files: Pick<WorkspaceFiles, "content">, signal: AbortSignal) {
  const [before, after] = [await textOf(old, files, signal), await textOf(now, files, signal)];
  if (before === undefined || after === undefined) return `${path}: ${describe(old)} → ${describe(now)}`;
  const name = (side: "a" | "b", state: FileState) => (state === "" ? "/dev/null" : `${side}/${path}`);
  const diff = unifiedDiff({ name: name("a", old), text: before }, { name: name("b", now), text: after }, 20_000);
  return diff === "" ? `${path}: ${describe(old)} → ${describe(now)}` : diff;
}

/** Undefined if the content is not text. A missing file counts as empty text. */
async function textOf(
  state: FileState,
  files: Pick<WorkspaceFiles, "content">,
  signal: AbortSignal,
): Promise<string | undefined> {
  const parsed = parseFileState(state);
  if (parsed.kind === "absent") return "";
  if (parsed.kind !== "file" || parsed.bytes > 2_000_000) return undefined;
  const content = await files.content(parsed.hash, signal);
  if (!content.ok) return undefined;
  const text = Buffer.from(content.value).toString();
  return looksBinary(text, content.value.length) ? undefined : text;
}

function describe(state: FileState): string {
  const parsed = parseFileState(state);
  switch (parsed.kind) {
    case "absent":
      return "nothing";
    case "file":
      return `file, ${parsed.bytes} bytes, mode ${parsed.mode.toString(8)}`;
    case "link":
      return `link to ${parsed.target}`;
    case "folder":
      return `folder, mode ${parsed.mode.toString(8)}`;
    case "other":
      return "pipe, socket or device";
    case "unkept":
      return `file, ${parsed.bytes} bytes, not recorded`;
  }
}
