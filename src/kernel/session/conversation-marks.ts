import type { TurnId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import type { Checkpoint, ConversationMarks } from "../../contracts/knowledge/checkpoint.ts";
import type { EntryBody, SessionRecord, SessionStore } from "../../contracts/session/session.ts";
import type { SessionLog } from "../loop/record/session-log.ts";

/** Marks and rewinds that calls request. They are executed between calls, when all results of an answer are stored. */
export interface PendingMarks {
  readonly marks: ConversationMarks;
  settled(turnId: TurnId): Promise<void>;
}

export interface MarkDeps {
  readonly id: SessionRecord["id"];
  readonly store: Pick<SessionStore, "entries">;
  readonly log: SessionLog;
  /** Called after a rewind: the messages that the model saw are no longer part of the history. */
  wentBack(): void;
}

export function createPendingMarks({ id, store, log, wentBack }: MarkDeps): PendingMarks {
  let marked: EntryBody[] = [];
  let back: { readonly move: EntryBody; readonly note: string } | undefined;

  /** The place of the mark, and a name that no branch has yet. */
  async function placeOf({ id: checkpoint }: Checkpoint, name: string) {
    const entries = await store.entries(id);
    const place = entries.findLast((entry) => entry.type === "checkpointed" && entry.checkpoint === checkpoint);
    const names = new Set(entries.flatMap((entry) => (entry.type === "head_moved" ? (entry.branch ?? []) : [])));
    let branch = name;
    for (let count = 2; names.has(branch); count++) branch = `${name}-${count}`;
    return place && { to: place.id, branch };
  }

  return {
    marks: {
      mark({ id: checkpoint, name }) {
        marked.push({ type: "checkpointed", checkpoint, ...(name !== undefined && { name }) });
      },
      async goBack(checkpoint, { branch, note }) {
        const place = await placeOf(checkpoint, branch);
        if (!place) return err({ message: `${checkpoint.name ?? checkpoint.id} marks no place of this conversation` });
        const why = `back to the checkpoint ${checkpoint.name ?? checkpoint.id}`;
        const way = { move: { type: "head_moved", ...place, why }, note } as const;
        return ok({ go: () => void (back = way) });
      },
    },
    async settled(turnId) {
      if (marked.length > 0) {
        const bodies = marked;
        marked = [];
        await log.append(bodies);
      }
      if (!back) return;
      const { move, note } = back;
      back = undefined;
      await log.append([move]);
      await log.reload();
      wentBack();
      await log.append([
        { type: "message", message: { role: "user", content: [{ type: "text", text: note }] }, turnId },
      ]);
    },
  };
}
