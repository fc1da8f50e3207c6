import type { SessionId } from "../base/ids.ts";
import { oneLine } from "../base/text/text.ts";
import type { Entry, EntryBody, NewSession } from "../contracts/session/session.ts";
import { type BeganEntry, type EntryRow, pkOf, rowOf, withoutDuplicateData, withPlace } from "./entry-row.ts";
import { isEntryOf, placeOf, type SessionPlace } from "./read-entries.ts";
import type { Statements } from "./statements.ts";
import { StoreError } from "./store-fault.ts";

// These functions run inside a transaction.

/** Returns its row id. */
export function addSession(id: SessionId, session: NewSession, now: number, sql: Statements): number {
  const { principal, source, cwd, model, title, parent } = session;
  const parentPk = parent === undefined ? null : existingPlace(parent, sql).pk;
  const values = [cwd ?? null, model ?? null, title ?? null, parentPk, now, now];
  const pk = Number(sql.addSession().get(id, principal.id, source, ...values)?.["pk"]);
  const body: BeganEntry = { ...session, type: "began", id };
  const row = rowOf(body, { pk: lastPrimaryKey(sql) + 1, session: pk, parent: null, at: now });
  addRow(row, sql);
  sql.moveHead().run(row.pk, now, 0, null, pk);
  return pk;
}

/**
 * Appends entries below the head and moves the head. A title or a mark does not change the position of the session in
 * lists.
 */
export function addEntries(
  session: SessionPlace,
  bodies: readonly EntryBody[],
  now: number,
  sql: Statements,
): readonly Entry[] {
  let head: number = session.head;
  let pk = lastPrimaryKey(sql);
  let messages = 0;
  let preview: string | null = null;
  const entries = bodies.map((given) => {
    const body = withoutDuplicateData(given);
    const parent = body.type === "head_moved" ? targetOf(body, session.pk, sql) : head || null;
    const row = rowOf(body, { pk: ++pk, session: session.pk, parent, at: now });
    addRow(row, sql);
    addToLists(body, row, sql);
    if (body.type === "message") {
      messages++;
      preview ??= previewOf(body);
    }
    head = row.pk;
    return withPlace(body, row);
  });
  const isChange = bodies.some(({ type }) => type !== "titled" && type !== "marked");
  if (isChange) sql.moveHead().run(head, now, messages, preview, session.pk);
  else sql.setHead().run(head, session.pk);
  return entries;
}

/** Updates the other tables for an entry. */
export function addToLists(body: EntryBody, { pk, session, at: createdAt }: EntryRow, sql: Statements): void {
  if (body.type === "titled") {
    sql.setTitle().run(body.title, body.by, session);
  } else if (body.type === "usage") {
    const { input, output, costUsd } = body.usage;
    sql.addUsage().run(pk, session, createdAt, input + output, costUsd ?? null);
  } else if (body.type === "marked") {
    const { tags, archived, deleted, source } = body;
    if (tags !== undefined) sql.setTags().run(tags.length === 0 ? null : JSON.stringify(tags), session);
    if (archived !== undefined) sql.setArchived().run(archived ? createdAt : null, session);
    if (source !== undefined) sql.setSource().run(source, session);
    if (deleted !== undefined) sql.setDeleted().run(deleted ? createdAt : null, session);
  }
}

export function existingPlace(id: SessionId, sql: Statements): SessionPlace {
  const place = placeOf(id, sql);
  if (!place) throw new StoreError("failed", `there is no session ${id}`);
  return place;
}

function targetOf({ to }: EntryBody & { type: "head_moved" }, session: number, sql: Statements): number | null {
  if (to === undefined) return null;
  const pk = pkOf(to);
  if (Number.isNaN(pk) || !isEntryOf(session, pk, sql)) {
    throw new StoreError("failed", `the conversation cannot continue from ${to}: it is not an entry of this session`);
  }
  return pk;
}

export function addRow({ pk, session, parent, at: createdAt, type, body, sum }: EntryRow, sql: Statements): void {
  sql.addEntry().run(pk, session, parent, createdAt, type, body, sum);
}

export function lastPrimaryKey(sql: Statements): number {
  return Number(sql.lastPrimaryKey().get()?.["pk"] ?? 0);
}

export function previewOf({ message: { role, content } }: EntryBody & { type: "message" }): string | null {
  const text = role === "user" ? content.find((part) => part.type === "text") : undefined;
  return text?.type === "text" ? oneLine(text.text.slice(0, 1_000), 120) : null;
}
