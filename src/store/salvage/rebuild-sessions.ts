import type { DatabaseSync } from "node:sqlite";

import { asId, type SessionId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { EntryBody, NewSession, SessionMarks } from "../../contracts/session/session.ts";
import { type EntryRow, rowOf } from "../entry-row.ts";
import { asRows } from "../statements.ts";
import { previewOf } from "../write-entries.ts";
import type { Value } from "./leaf-page.ts";

export interface RebuiltSession {
  readonly id: string;
  readonly title?: string;
  readonly entries: number;
  /** Number of lost entries. */
  readonly lost: number;
}

/** Rebuilds the rows of sessions and usage from their entries. Values that the entries lack come from the old rows. */
export function rebuildSessions(
  database: DatabaseSync,
  old: ReadonlyMap<number, readonly Value[]>,
  principal: string,
): readonly RebuiltSession[] {
  const numbers = database.prepare("SELECT DISTINCT session FROM entries ORDER BY session").all();
  const parents = new Map<number, string | number>();
  const used = new Set<string>();
  const created = numbers.map(({ session }) => {
    const line = lineOf(Number(session), database, oldLine(old.get(Number(session))), principal);
    const id = used.has(line.id) ? `${line.id}_${line.pk}` : line.id;
    used.add(id);
    addLine({ ...line, id }, database);
    if (line.parent !== null) parents.set(line.pk, line.parent);
    return { line, id };
  });
  const setParent = (by: string) =>
    database.prepare(`UPDATE sessions SET parent = (SELECT pk FROM sessions WHERE ${by} = ?) WHERE pk = ?`);
  const [byId, byNumber] = [setParent("id"), setParent("pk")];
  for (const [pk, parent] of parents) (typeof parent === "string" ? byId : byNumber).run(parent, pk);
  return created.map(({ line: { title, entries, lost }, id }) => ({
    id,
    ...(title !== null && { title }),
    entries,
    lost,
  }));
}

/** The reason that a damaged entry shows after a repair. */
const lostWhy = "the file was damaged here";

/** Creates a placeholder for each lost entry, at its position. `began` rebuilds the first entry of a session. */
export function addLostEntries(
  database: DatabaseSync,
  lost: ReadonlyMap<number, number>,
  old: ReadonlyMap<number, readonly Value[]>,
  principal: string,
): void {
  const before = database.prepare("SELECT pk, at FROM entries WHERE session = ? AND pk < ? ORDER BY pk DESC LIMIT 1");
  const after = database.prepare("SELECT at FROM entries WHERE session = ? AND pk > ? ORDER BY pk LIMIT 1");
  const add = database.prepare("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const [pk, session] of [...lost].toSorted(([a], [b]) => a - b)) {
    const parent = before.get(session, pk);
    const createdAt = Number((parent ?? after.get(session, pk))?.["at"] ?? 0);
    const place = { pk, session, parent: parent ? Number(parent["pk"]) : null, at: createdAt };
    const row = parent
      ? rowOf({ type: "damaged", why: lostWhy }, place)
      : rowOf({ type: "began", ...newSession(session, oldLine(old.get(session)), principal) }, place);
    add.run(row.pk, row.session, row.parent, row.at, row.type, row.body, row.sum);
  }
}

interface Line {
  readonly pk: number;
  readonly id: string;
  readonly principal: string;
  readonly source: string;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly title: string | null;
  readonly titleBy: string | null;
  /** The id or row id of the parent. */
  readonly parent: string | number | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly head: number;
  readonly rank: number;
  readonly messages: number;
  readonly preview: string | null;
  readonly marks: {
    readonly tags: string | null;
    readonly archivedAt: number | null;
    readonly deletedAt: number | null;
  };
  readonly entries: number;
  readonly lost: number;
}

type Body = Readonly<Record<string, unknown>>;
type OldLine = ReturnType<typeof oldLine>;

/** Reads the columns in the order of the schema. */
function oldLine(values: readonly Value[] = []) {
  const text = (index: number) => (typeof values[index] === "string" ? values[index] : null);
  const number = (index: number) => (typeof values[index] === "number" ? values[index] : null);
  return {
    id: text(1),
    principal: text(2),
    source: text(3),
    cwd: text(4),
    model: text(5),
    title: text(6),
    titleBy: text(7),
    parent: number(8),
    createdAt: number(9),
    head: number(11),
    tags: text(14),
    archivedAt: number(15),
    deletedAt: number(16),
    rank: number(17),
  };
}

function newSession(session: number, old: OldLine, principal: string): NewSession & { readonly id: SessionId } {
  return {
    id: asId<SessionId>(old.id ?? `recovered_${session}`),
    source: old.source ?? "recovered",
    principal: { id: old.principal ?? principal },
    ...(old.cwd !== null && { cwd: old.cwd }),
    ...(old.model !== null && { model: old.model }),
    ...(old.title !== null && { title: old.title }),
  };
}

function lineOf(pk: number, database: DatabaseSync, old: OldLine, principal: string): Line {
  const rows = asRows<EntryRow>(
    database
      .prepare("SELECT * FROM entries WHERE session = ? AND type IN ('began', 'titled', 'marked', 'usage') ORDER BY pk")
      .all(pk),
  );
  const bodies = rows.map(({ type, body, at: createdAt, pk: place }) => ({
    at: createdAt,
    place,
    body: { ...parsed(body), type } as Body,
  }));
  const began = bodies.find(({ body }) => body["type"] === "began");
  const fallback = newSession(pk, old, principal);
  const textField = (name: string) => textIn(began?.body, name);
  const marks = { tags: old.tags, archivedAt: old.archivedAt, deletedAt: old.deletedAt };
  let title = began ? textField("title") : old.title;
  let source = textField("source") ?? fallback.source;
  let titleBy = began ? null : old.titleBy;
  const addUsage = database.prepare("INSERT OR IGNORE INTO usage VALUES (?, ?, ?, ?, ?)");
  for (const { at: createdAt, place, body } of bodies) {
    // The cast is safe: the checksum is correct, so the entry has the shape of its type.
    const entry = body as unknown as EntryBody;
    if (entry.type === "titled") {
      if (entry.by === "user" || title === null || titleBy === "model") [title, titleBy] = [entry.title, entry.by];
    } else if (entry.type === "marked") {
      Object.assign(marks, columns(entry, createdAt));
      source = entry.source ?? source;
    } else if (entry.type === "usage") {
      const { input, output, costUsd } = entry.usage;
      addUsage.run(place, pk, createdAt, input + output, costUsd ?? null);
    }
  }
  const [counts] = database
    .prepare(
      "SELECT max(pk) AS head, count(*) AS entries, sum(type = 'message') AS messages, sum(type = 'damaged') AS lost, min(at) AS first, max(CASE WHEN type NOT IN ('titled', 'marked') THEN pk END) AS last FROM entries WHERE session = ?",
    )
    .all(pk);
  const head = Number(counts?.["head"]);
  const last = Number(counts?.["last"] ?? head);
  const changed = database.prepare("SELECT at FROM entries WHERE pk = ?").get(last);
  const beganPrincipal = began?.body["principal"];
  return {
    pk,
    id: textField("id") ?? fallback.id,
    principal: (isObject(beganPrincipal) ? textIn(beganPrincipal, "id") : null) ?? fallback.principal.id,
    source,
    cwd: textField("cwd") ?? old.cwd,
    model: textField("model") ?? old.model,
    title,
    titleBy,
    parent: textField("parent") ?? old.parent,
    createdAt: began?.at ?? old.createdAt ?? Number(counts?.["first"] ?? 0),
    changedAt: Number(changed?.["at"] ?? 0),
    head,
    rank: old.rank ?? last,
    messages: Number(counts?.["messages"] ?? 0),
    preview: firstQuestion(pk, database),
    marks,
    entries: Number(counts?.["entries"] ?? 0) - (began ? 1 : 0),
    lost: Number(counts?.["lost"] ?? 0),
  };
}

function addLine(line: Line, database: DatabaseSync): void {
  const { marks } = line;
  const who = [line.pk, line.id, line.principal, line.source, line.cwd, line.model, line.title, line.titleBy];
  const when = [line.createdAt, line.changedAt, line.head, line.messages, line.preview];
  const kept = [marks.tags, marks.archivedAt, marks.deletedAt, line.rank];
  database
    .prepare(
      "INSERT INTO sessions (pk, id, principal, source, cwd, model, title, title_by, created_at, changed_at, head, messages, preview, tags, archived_at, deleted_at, rank) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .run(...who, ...when, ...kept);
}

function columns({ tags, archived, deleted }: SessionMarks, createdAt: number): Partial<Line["marks"]> {
  return {
    ...(tags && { tags: tags.length === 0 ? null : JSON.stringify(tags) }),
    ...(archived !== undefined && { archivedAt: archived ? createdAt : null }),
    ...(deleted !== undefined && { deletedAt: deleted ? createdAt : null }),
  };
}

function firstQuestion(session: number, database: DatabaseSync): string | null {
  const rows = database
    .prepare("SELECT body FROM entries WHERE session = ? AND type = 'message' ORDER BY pk")
    .iterate(session);
  for (const { body } of rows) {
    const entry = { type: "message", ...parsed(String(body)) } as unknown as EntryBody & { type: "message" };
    const preview = previewOf(entry);
    if (preview !== null) return preview;
  }
  return null;
}

function parsed(body: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(body);
  return isObject(value) ? value : {};
}

function textIn(value: Readonly<Record<string, unknown>> | undefined, name: string): string | null {
  const text = value?.[name];
  return typeof text === "string" ? text : null;
}
