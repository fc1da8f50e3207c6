import { dirname } from "node:path";

import type { Clock } from "../base/clock.ts";
import { asId, newId, type SessionId } from "../base/ids.ts";
import { err, ok, type Result } from "../base/result.ts";
import { oneLine } from "../base/text/text.ts";
import type { Checkpoint, CheckpointCall, Restored, RestorePlan } from "../contracts/knowledge/checkpoint.ts";
import { type BackgroundWork, createBackgroundTrail } from "./background-trail.ts";
import { outermost, recordPath } from "./paths.ts";
import type { NewRecord, StoredRecord } from "./record-store.ts";
import { type RestoreRequest, diffFiles, planFiles, restoreFiles } from "./restore-files.ts";
import type { LockedRoot, RootAccess } from "./root-access.ts";
import type { WorkspaceFiles } from "./scan.ts";
import { inTransaction, maxFilesAfterCall, saveScan, scanWorkspace, type WorkspaceScan } from "./workspace-files.ts";

/** The checkpoints of one workspace. `session` limits them to the calls of that session. */
export interface WorkspaceCheckpoints extends AsyncDisposable {
  /** Undefined if there is nothing to record. */
  begin(call: CheckpointCall, affected: AffectedPaths, signal: AbortSignal): Promise<Result<StoredRecord | undefined>>;
  /** `left` lists processes that the call left running. */
  end(record: StoredRecord, left: readonly BackgroundWork[], signal: AbortSignal): Promise<Result<void>>;
  list(limit: number, session: string | undefined, signal: AbortSignal): Promise<Result<readonly Checkpoint[]>>;
  find(text: string, session: string | undefined, signal: AbortSignal): Promise<Result<Checkpoint>>;
  mark(
    name: string | undefined,
    session: string | undefined,
    signal: AbortSignal,
    label?: string,
  ): Promise<Result<Checkpoint>>;
  plan(id: string, request: RestoreRequest, signal: AbortSignal): Promise<Result<RestorePlan>>;
  diff(id: string, request: RestoreRequest, signal: AbortSignal): Promise<Result<string>>;
  restore(id: string, request: RestoreRequest, signal: AbortSignal): Promise<Result<Restored>>;
}

/** Paths that a call can change, absolute or relative to the root; with `isWhole`, anything in the workspace. */
export interface AffectedPaths {
  readonly paths: readonly string[];
  readonly isWhole: boolean;
  /** A label for the user. */
  readonly label: string;
}

export interface WorkspaceParts {
  readonly root: string;
  /**
   * Whether the root is a project folder. Otherwise only named paths are recorded, because the whole folder would be
   * too large.
   */
  readonly isProject: boolean;
  readonly access: RootAccess;
  files(held: LockedRoot): WorkspaceFiles;
  /** Our process id, and a test whether the process that started a record at a given time is still running. */
  readonly pid: number;
  isRunning(pid: number, since: number): boolean;
  readonly clock: Clock;
}

export function createWorkspaceCheckpoints(parts: WorkspaceParts): WorkspaceCheckpoints {
  const { root, isProject, access, clock, pid } = parts;
  /** Running calls of this process. */
  const own = new Map<number, StoredRecord>();
  const trail = createBackgroundTrail();

  /**
   * Runs a function with the lock, after closing the records of dead processes, so that later changes are not
   * attributed to them.
   */
  function held<T>(work: (place: LockedWorkspace) => Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
    return access.held(async (root) => {
      const place = { ...root, files: parts.files(root) };
      const dead = place.store
        .open()
        .filter((each) => !own.has(each.seq) && !parts.isRunning(each.pid, each.checkpoint.takenAt));
      if (dead.length > 0 && !place.isReadOnly) {
        const closed = await closeDead(dead, place, signal);
        if (!closed.ok) return closed;
      }
      return work(place);
    }, signal);
  }

  /** Like `held`, after recording the changes of background processes so far. */
  function caughtUp<T>(work: (place: LockedWorkspace) => Promise<Result<T>>, signal: AbortSignal): Promise<Result<T>> {
    return held(async (place) => {
      const caughtUpResult = await catchUp(place, signal);
      return caughtUpResult.ok ? work(place) : caughtUpResult;
    }, signal);
  }

  async function catchUp(place: LockedWorkspace, signal: AbortSignal): Promise<Result<void>> {
    const { database, store } = place;
    const background = store.open().filter(({ checkpoint }) => checkpoint.kind === "process");
    if (background.length === 0 || place.isReadOnly) return ok(undefined);
    await trail.refresh(signal);
    const seen = await scanWorkspace(
      outermost(background.flatMap((each) => each.scope)),
      place,
      signal,
      maxFilesAfterCall,
    );
    if (!seen.ok) return seen;
    inTransaction(database, false, () => {
      saveScan(seen.value, store.open(), store);
      trail.renew(store, recordOf);
    });
    return ok(undefined);
  }

  async function closeDead(
    dead: readonly StoredRecord[],
    { database, store, files }: LockedWorkspace,
    signal: AbortSignal,
  ): Promise<Result<void>> {
    const scope = outermost(dead.flatMap((each) => each.scope));
    const restored = dead.filter(({ checkpoint }) => checkpoint.kind === "restore");
    await files.sweep(Array.from(new Set(restored.flatMap((each) => each.scope).map(parentOf))), signal);
    const seen = await scanWorkspace(scope, { files, store }, signal, maxFilesAfterCall);
    if (!seen.ok && seen.error.kind === "failed") return seen;
    inTransaction(database, false, () => {
      if (seen.ok) saveScan(seen.value, dead, store, "interrupted");
      for (const { seq, checkpoint } of dead)
        if (checkpoint.kind === "process" && store.byId(checkpoint.id)?.checkpoint.changed === 0) store.drop(seq);
        else store.close(seq, [...checkpoint.notes, "interrupted: this call or others may have made further changes"]);
    });
    return ok(undefined);
  }

  /** Scans the whole workspace if it is within the limits, otherwise the named paths. */
  async function seeAffected(
    { paths, isWhole }: Pick<AffectedPaths, "paths" | "isWhole">,
    place: LockedWorkspace,
    signal: AbortSignal,
  ): Promise<Result<WorkspaceScan>> {
    const named = paths.map((path) => recordPath(root, path));
    const notes = isWhole && !isProject ? [`${root} is not a project: only named paths are recorded`] : [];
    const all = isWhole && isProject ? ["", ...named] : named;
    const whole = await scanWorkspace(all, place, signal);
    if (whole.ok) return ok({ ...whole.value, notes: [...whole.value.notes, ...notes] });
    if (whole.error.kind !== "too_many") return whole;
    const fitting: string[] = [];
    for (const path of outermost(all.filter((each) => each !== "")))
      if ((await scanWorkspace([path], place, signal)).ok) fitting.push(path);
    const seen = await scanWorkspace(fitting, place, signal);
    if (!seen.ok) return seen;
    const why = `${whole.error.message}: only named paths are recorded`;
    return ok({ ...seen.value, notes: [...seen.value.notes, ...notes, why] });
  }

  function recordOf(about: Pick<NewRecord, "kind" | "label"> & Partial<NewRecord>): NewRecord {
    return {
      id: newId("ck").slice(0, 13),
      takenAt: clock.now(),
      scope: [],
      notes: [],
      isOpen: false,
      pid,
      ...about,
      label: oneLine(about.label, 500),
    };
  }

  function end(record: StoredRecord, left: readonly BackgroundWork[], signal: AbortSignal): Promise<Result<void>> {
    return access.held(async (root) => {
      const place = { ...root, files: parts.files(root) };
      trail.follow(left, record);
      const ended = await trail.refresh(signal);
      const seen = await scanWorkspace(outermost([...record.scope, ...ended]), place, signal, maxFilesAfterCall);
      own.delete(record.seq);
      if (!seen.ok) return seen;
      inTransaction(place.database, false, () => {
        saveScan(seen.value, [...place.store.open().filter(({ seq }) => seq !== record.seq), record], place.store);
        const isEmpty = place.store.byId(record.checkpoint.id)?.checkpoint.changed === 0;
        if (isEmpty) place.store.drop(record.seq);
        else place.store.close(record.seq, record.checkpoint.notes);
        trail.renew(place.store, recordOf);
      });
      return ok(undefined);
    }, signal);
  }

  return {
    begin: (call, affected, signal) =>
      held(async (place) => {
        const seen = await seeAffected(affected, place, signal);
        if (!seen.ok) return seen;
        const { scope, notes } = seen.value;
        const { callId, sessionId, turnId, tool } = call;
        const about = { callId, sessionId, ...(turnId !== undefined && { turnId }), tool, label: affected.label };
        const record = inTransaction(place.database, true, () => {
          saveScan(seen.value, place.store.open(), place.store);
          return scope.length === 0 && notes.length === 0
            ? undefined
            : place.store.add(recordOf({ ...about, kind: "call", scope, notes, isOpen: true }));
        });
        if (record) own.set(record.seq, record);
        return ok(record);
      }, signal),
    end,
    list: async (limit, session, signal) =>
      access.exists()
        ? caughtUp(
            async ({ store }) => ok(store.list({ limit, ...of(session) }).map(({ checkpoint }) => checkpoint)),
            signal,
          )
        : ok([]),
    find: async (text, session, signal) => {
      if (!access.exists()) return err({ message: "there are no checkpoints yet" });
      return caughtUp(async ({ store }) => {
        const sought = text.trim();
        const nth = /^\d{1,6}$/u.test(sought) ? store.list({ limit: Number(sought), ...of(session) }) : [];
        const numbered = nth.length === Number(sought) ? nth.at(-1) : undefined;
        const matches = numbered || sought === "" ? [] : store.matching(sought);
        // A short text may be a number that is out of range.
        const isEnough = sought.replace(/^ck_/u, "").length >= 4;
        const exact = matches.find(({ checkpoint }) => checkpoint.id === sought || checkpoint.name === sought);
        const result = numbered ?? exact ?? (matches.length === 1 && isEnough ? matches[0] : undefined);
        if (result) return ok(result.checkpoint);
        if (matches.length > 1 && isEnough)
          return err({ message: `several checkpoints start with ${sought}; use a longer prefix` });
        const count = store.list({ limit: 1_000, ...of(session) }).length;
        return err({ message: `there is no checkpoint ${sought}; there are ${count}, 1 is the last one` });
      }, signal);
    },
    mark: (name, session, signal, label = "saved by the agent") =>
      caughtUp(async (place) => {
        const seen = await seeAffected({ paths: [], isWhole: true }, place, signal);
        if (!seen.ok) return seen;
        const about = {
          kind: "mark" as const,
          label: name ?? label,
          notes: seen.value.notes,
          ...(name !== undefined && { name }),
          ...(session !== undefined && { sessionId: asId<SessionId>(session) }),
        };
        const { checkpoint } = inTransaction(place.database, true, () => {
          saveScan(seen.value, place.store.open(), place.store);
          return place.store.add(recordOf(about));
        });
        return ok(checkpoint);
      }, signal),
    plan: (id, request, signal) => caughtUp((place) => planFiles(id, request, { ...place, root }, signal), signal),
    diff: (id, request, signal) => caughtUp((place) => diffFiles(id, request, { ...place, root }, signal), signal),
    restore: (id, request, signal) =>
      caughtUp(async (place) => {
        const restored = await restoreFiles(id, request, { ...place, root, newRecord: recordOf }, signal);
        inTransaction(place.database, false, () => trail.renew(place.store, recordOf));
        return restored;
      }, signal),
    async [Symbol.asyncDispose]() {
      const never = new AbortController().signal;
      // The calls and processes were abandoned, so their later changes are not attributed to them.
      for (const record of own.values()) await end(record, [], never);
      if (trail.stop()) await held((place) => catchUp(place, never), never);
      await access[Symbol.asyncDispose]();
    },
  };
}

type LockedWorkspace = LockedRoot & { readonly files: WorkspaceFiles };

function of(session: string | undefined) {
  return session === undefined ? {} : { session };
}

function parentOf(path: string): string {
  const above = dirname(path);
  return above === "." ? "" : above;
}
