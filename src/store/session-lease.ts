import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { takeFileLock } from "../base/files/file-lock.ts";
import { makeFolderSync } from "../base/files/make-folder.ts";
import { asId, type SessionId, type EntryId } from "../base/ids.ts";
import { stoppedHint } from "../base/process/stopped-process.ts";
import { err, ok, type Result, valueOr } from "../base/result.ts";
import type { Entry, EntryBody, NewSession } from "../contracts/session/session.ts";
import { entryId, rowOf, withoutDuplicateData } from "./entry-row.ts";
import { placeOf } from "./read-entries.ts";
import type { Statements } from "./statements.ts";
import { StoreError, storeError } from "./store-fault.ts";
import { removeDraft } from "./stored-draft.ts";
import { addRow, addSession, addToLists, lastPrimaryKey, previewOf } from "./write-entries.ts";

/**
 * Allows one writer per session across all processes. The system releases the lock when its holder ends; a file next
 * to the lock names the holder. Rejects with a `StoreError`.
 */
export async function takeLease(
  folder: string,
  sessionId: SessionId,
  holder: string,
  clock: Clock,
): Promise<Result<Disposable, { readonly heldBy: string }>> {
  try {
    makeFolderSync(folder, 0o700);
  } catch (thrown) {
    throw storeError(thrown, folder);
  }
  const path = join(folder, sessionId);
  const lock = await takeFileLock(path, { signal: new AbortController().signal, timeoutMs: 0, clock });
  if (!lock.ok) {
    const { code, message } = lock.error;
    if (code === "ETIMEDOUT") return err({ heldBy: holderOf(path) });
    throw new StoreError(code === "ENOSPC" ? "full" : code === "EROFS" ? "read_only" : "no_access", message);
  }
  const note = `${holder} (process ${process.pid}, since ${timeOf(clock.now())})`;
  // The note is informational: a full disk must not prevent the lease.
  leniently(() => writeFileSync(`${path}.holder`, note, { mode: 0o600 }));
  return ok({
    [Symbol.dispose]() {
      leniently(() => rmSync(`${path}.holder`, { force: true }));
      lock.value[Symbol.dispose]();
    },
  });
}

/** The file with the answer that the holder of the lease is receiving. */
export function draftFile(folder: string, sessionId: SessionId): string {
  return `${join(folder, sessionId)}.draft`;
}

/** Removes the lock file and the draft of an erased session. Its holder calls this. */
export function removeLease(folder: string, sessionId: SessionId): void {
  removeDraft(draftFile(folder, sessionId));
  leniently(() => rmSync(`${join(folder, sessionId)}.lock`, { force: true }));
}

/** Removes files that killed holders left: their notes, and the files of sessions that no longer exist. */
export async function removeLeftLeases(
  folder: string,
  isThere: (id: SessionId) => boolean,
  clock: Clock,
): Promise<void> {
  for (const name of valueOr(() => readdirSync(folder), [])) {
    const id = asId<SessionId>(name.replace(/\.(?:lock|holder|draft)$/u, ""));
    if (name === id || (!name.endsWith(".holder") && isThere(id))) continue;
    const lease = await takeLease(folder, id, "a process that is removing old locks", clock);
    if (!lease.ok) continue;
    using _lease = lease.value;
    if (!isThere(id)) removeLease(folder, id);
  }
}

function holderOf(path: string): string {
  const holder = valueOr(() => readFileSync(`${path}.holder`, "utf8"), "") || "another program";
  return holder + stoppedHint(Number(/\(process (\d+),/u.exec(holder)?.[1]) || undefined);
}

/** Local time as `14:05`. */
function timeOf(now: number): string {
  const local = new Date(now - new Date(now).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(11, 16);
}

function leniently(run: () => void): void {
  try {
    run();
  } catch {
    // Best effort: no caller depends on this step.
  }
}

/** Imports a session within a transaction. Lists sort it by its own time. Drops a parent that does not exist here. */
export function takeSession(
  id: SessionId,
  { createdAt, parent, ...session }: NewSession & { readonly createdAt: number },
  entries: readonly Entry[],
  sql: Statements,
): void {
  const isParentHere = parent !== undefined && placeOf(parent, sql) !== undefined;
  const pk = addSession(id, { ...session, ...(isParentHere && { parent }) }, createdAt, sql);
  const began = lastPrimaryKey(sql);
  const places = new Map<EntryId, number>();
  const placed = (old: EntryId): number => {
    const place = places.get(old);
    if (place === undefined) throw new StoreError("failed", `entry ${old} is referenced before it appears`);
    return place;
  };
  let head = began;
  let messages = 0;
  let preview: string | null = null;
  let changedAt = createdAt;
  // In the source store, the first entry follows an internal one that is never shown.
  const [first] = entries;
  if (first?.parent !== undefined) places.set(first.parent, began);
  for (const { id: old, parent: before, at: createdAt, ...given } of entries) {
    const body = withPlaces(withoutDuplicateData(given), (named) => entryId(placed(named)));
    const row = rowOf(body, {
      pk: head + 1,
      session: pk,
      parent: before === undefined ? began : placed(before),
      at: createdAt,
    });
    addRow(row, sql);
    addToLists(body, row, sql);
    if (body.type === "message") {
      messages++;
      preview ??= previewOf(body);
    }
    places.set(old, row.pk);
    head = row.pk;
    changedAt = Math.max(changedAt, createdAt);
  }
  sql.moveHead().run(head, changedAt, messages, preview, pk);
  const rank = Number(sql.rankAt().get(session.principal.id, changedAt, pk)?.["rank"] ?? 0);
  sql.setChange().run(changedAt, rank, pk);
}

/** Replaces ids of other entries in an entry by their new ids. */
function withPlaces(body: EntryBody, renamed: (id: EntryId) => EntryId): EntryBody {
  if (body.type === "compacted") return { ...body, through: renamed(body.through) };
  if (body.type === "head_moved" && body.to !== undefined) return { ...body, to: renamed(body.to) };
  return body;
}
