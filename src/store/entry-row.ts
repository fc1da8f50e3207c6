import { asId, type EntryId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import type { Entry, EntryBody, NewSession } from "../contracts/session/session.ts";
import { checksum } from "./checksum.ts";

/** An entry as a row of its table. */
export interface EntryRow {
  readonly pk: number;
  readonly session: number;
  readonly parent: number | null;
  readonly at: number;
  readonly type: string;
  readonly body: string;
  readonly sum: number;
}

/** The first row of every session, internal to the store. The session's row can be rebuilt from it. */
export type BeganEntry = { readonly type: "began" } & NewSession;

export function rowOf(body: EntryBody | BeganEntry, place: Omit<EntryRow, "type" | "body" | "sum">): EntryRow {
  const { type, ...rest } = body;
  const row = { ...place, type, body: JSON.stringify(rest) };
  return { ...row, sum: sumOf(row) };
}

/** Reads the entry. A row with a wrong checksum becomes a damaged entry without content. */
export function entryOf(row: EntryRow): Entry {
  if (!isIntact(row)) return damagedEntry(row.pk, "its checksum is wrong");
  // The cast is safe: the checksum proves that Hermes wrote the entry, so it has the shape of its type.
  return { ...JSON.parse(row.body), type: row.type, ...placeOf(row) } as Entry;
}

/** Whether the row is unchanged. On a damaged page, a column can have any type. */
export function isIntact(row: EntryRow): boolean {
  return typeof row.body === "string" && sumOf(row) === row.sum;
}

export function withPlace(body: EntryBody, row: EntryRow): Entry {
  return { ...body, ...placeOf(row) };
}

export function damagedEntry(pk: number, why: string): Entry {
  return { type: "damaged", why, id: entryId(pk), at: 0 };
}

export function isBegan({ type }: EntryRow): boolean {
  return type === "began";
}

export function entryId(pk: number): EntryId {
  return asId<EntryId>(`e${pk}`);
}

/** The row id in an entry id; NaN if the id has another form. */
export function pkOf(id: EntryId): number {
  return /^e[1-9]\d{0,14}$/u.test(id) ? Number(id.slice(1)) : Number.NaN;
}

/** Removes the `data` of an output, because its content has the same information. A diff for the user is kept. */
export function withoutDuplicateData(body: EntryBody): EntryBody {
  if (body.type !== "settled" || !body.result.ok || body.result.value.data === undefined) return body;
  const { content, data } = body.result.value;
  const diff = isObject(data) ? data["diff"] : undefined;
  const isShown = content.some((part) => part.type === "text" && part.text.includes('"diff":'));
  const kept = typeof diff === "string" && !isShown ? { data: { diff } } : {};
  return { ...body, result: { ok: true, value: { content, ...kept } } };
}

function placeOf({ pk, parent, at: createdAt }: EntryRow): Pick<Entry, "id" | "parent" | "at"> {
  return parent === null
    ? { id: entryId(pk), at: createdAt }
    : { id: entryId(pk), parent: entryId(parent), at: createdAt };
}

function sumOf({ pk, session, parent, at: createdAt, type, body }: Omit<EntryRow, "sum">): number {
  return checksum(`${pk} ${session} ${parent ?? ""} ${createdAt} ${type} `, body);
}
