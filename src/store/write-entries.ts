import type { SessionId } from "../base/ids.ts";
import { oneLine } from "../base/text.ts";
import type { Entry, EntryBody, NewSession } from "../contracts/session.ts";
import { type Began, type EntryRow, pkOf, rowOf, slim, withPlace } from "./entry-row.ts";
import { isEntryOf, placeOf, type SessionPlace } from "./read-entries.ts";
import type { Statements } from "./statements.ts";
import { StoreError } from "./store-fault.ts";

// What is done inside a transaction.

export function addSession(id: SessionId, asked: NewSession, now: number, sql: Statements): void {
  const { principal, source, cwd, model, title, parent } = asked;
  const parentPk = parent === undefined ? null : knownPlace(parent, sql).pk;
  const values = [cwd ?? null, model ?? null, title ?? null, parentPk, now, now];
  const pk = Number(sql.addSession().get(id, principal.id, source, ...values)?.["pk"]);
  const body: Began = { ...asked, type: "began", id };
  const row = rowOf(body, { pk: lastPk(sql) + 1, session: pk, parent: null, at: now });
  addRow(row, sql);
  sql.moveHead().run(row.pk, now, 0, null, pk);
}

export function addEntries(
  id: SessionId,
  bodies: readonly EntryBody[],
  now: number,
  sql: Statements,
): readonly Entry[] {
  const session = knownPlace(id, sql);
  let head: number = session.head;
  let pk = lastPk(sql);
  let messages = 0;
  let preview: string | null = null;
  const entries = bodies.map((given) => {
    const body = slim(given);
    const parent = body.type === "head_moved" ? targetOf(body, session.pk, sql) : head || null;
    const row = rowOf(body, { pk: ++pk, session: session.pk, parent, at: now });
    addRow(row, sql);
    if (body.type === "message") {
      messages++;
      preview ??= previewOf(body);
    } else if (body.type === "titled") {
      sql.setTitle().run(body.title, body.by, session.pk);
    } else if (body.type === "usage") {
      const { input, output, costUsd } = body.usage;
      sql.addUsage().run(row.pk, session.pk, row.at, input + output, costUsd ?? null);
    }
    head = row.pk;
    return withPlace(body, row);
  });
  sql.moveHead().run(head, now, messages, preview, session.pk);
  return entries;
}

function knownPlace(id: SessionId, sql: Statements): SessionPlace {
  const place = placeOf(id, sql);
  if (!place) throw new StoreError("failed", `there is no session ${id}`);
  return place;
}

function targetOf({ to }: EntryBody & { type: "head_moved" }, session: number, sql: Statements): number | null {
  if (to === undefined) return null;
  const pk = pkOf(to);
  if (Number.isNaN(pk) || !isEntryOf(session, pk, sql)) {
    throw new StoreError("failed", `the conversation cannot go on from ${to}: it is not an entry of this session`);
  }
  return pk;
}

function addRow({ pk, session, parent, at, type, body, sum }: EntryRow, sql: Statements): void {
  sql.addEntry().run(pk, session, parent, at, type, body, sum);
}

function lastPk(sql: Statements): number {
  return Number(sql.lastPk().get()?.["pk"] ?? 0);
}

function previewOf({ message: { role, content } }: EntryBody & { type: "message" }): string | null {
  const text = role === "user" ? content.find((part) => part.type === "text") : undefined;
  return text?.type === "text" ? oneLine(text.text.slice(0, 1_000), 120) : null;
}
