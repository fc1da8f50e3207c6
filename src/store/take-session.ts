import type { EntryId, SessionId } from "../base/ids.ts";
import type { Entry, EntryBody, NewSession } from "../contracts/session/session.ts";
import { entryId, rowOf, slim } from "./entry-row.ts";
import { placeOf } from "./read-entries.ts";
import type { Statements } from "./statements.ts";
import { StoreError } from "./store-fault.ts";
import { addRow, addSession, addToLists, lastPk, previewOf } from "./write-entries.ts";

/**
 * A session from elsewhere, inside a transaction. In lists it stands where it belongs by its time. A parent that is not
 * here is left out.
 */
export function takeSession(
  id: SessionId,
  { createdAt, parent, ...session }: NewSession & { readonly createdAt: number },
  entries: readonly Entry[],
  sql: Statements,
): void {
  const isParentHere = parent !== undefined && placeOf(parent, sql) !== undefined;
  const pk = addSession(id, { ...session, ...(isParentHere && { parent }) }, createdAt, sql);
  const began = lastPk(sql);
  const places = new Map<EntryId, number>();
  const placed = (old: EntryId): number => {
    const place = places.get(old);
    if (place === undefined) throw new StoreError("failed", `entry ${old} is named before it comes`);
    return place;
  };
  let head = began;
  let messages = 0;
  let preview: string | null = null;
  let changedAt = createdAt;
  // In the store they come from, the first entry stands below one that is never shown.
  const [first] = entries;
  if (first?.parent !== undefined) places.set(first.parent, began);
  for (const { id: old, parent: before, at, ...given } of entries) {
    const body = withPlaces(slim(given), (named) => entryId(placed(named)));
    const row = rowOf(body, { pk: head + 1, session: pk, parent: before === undefined ? began : placed(before), at });
    addRow(row, sql);
    addToLists(body, row, sql);
    if (body.type === "message") {
      messages++;
      preview ??= previewOf(body);
    }
    places.set(old, row.pk);
    head = row.pk;
    changedAt = Math.max(changedAt, at);
  }
  sql.moveHead().run(head, changedAt, messages, preview, pk);
  const rank = Number(sql.rankAt().get(session.principal.id, changedAt, pk)?.["rank"] ?? 0);
  sql.setChange().run(changedAt, rank, pk);
}

/** Entries that name others name them by their new ids. */
function withPlaces(body: EntryBody, renamed: (id: EntryId) => EntryId): EntryBody {
  if (body.type === "compacted") return { ...body, through: renamed(body.through) };
  if (body.type === "head_moved" && body.to !== undefined) return { ...body, to: renamed(body.to) };
  return body;
}
