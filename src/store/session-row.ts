import { asId, type SessionId } from "../base/ids.ts";
import type { SessionRecord } from "../contracts/session/session.ts";
import { entryId } from "./entry-row.ts";

export interface SessionRow {
  readonly pk: number;
  readonly id: string;
  readonly principal: string;
  readonly source: string;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly title: string | null;
  readonly parent: number | null;
  readonly created_at: number;
  readonly changed_at: number;
  readonly head: number | null;
  readonly messages: number;
  readonly preview: string | null;
  readonly tags: string | null;
  readonly archived_at: number | null;
  readonly deleted_at: number | null;
}

export function recordOf(row: SessionRow, idOf: (pk: number) => string | undefined): SessionRecord {
  const parent = row.parent === null ? undefined : idOf(row.parent);
  return {
    id: asId<SessionId>(row.id),
    source: row.source,
    principal: { id: row.principal },
    createdAt: row.created_at,
    changedAt: row.changed_at,
    messages: row.messages,
    ...(row.cwd !== null && { cwd: row.cwd }),
    ...(row.model !== null && { model: row.model }),
    ...(row.title !== null && { title: row.title }),
    ...(row.head !== null && { head: entryId(row.head) }),
    ...(row.preview !== null && { preview: row.preview }),
    ...(row.tags !== null && { tags: tagsIn(row.tags) }),
    ...(row.archived_at !== null && { archivedAt: row.archived_at }),
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    ...(parent !== undefined && { parent: asId<SessionId>(parent) }),
  };
}

/** The line of a session has no checksum: what is not a list of words is none. */
function tagsIn(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((tag) => typeof tag === "string") : [];
  } catch {
    return [];
  }
}
