import { asId, type SessionId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import { flag, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { SessionMarks } from "../../contracts/session/session.ts";
import { writeOperation } from "../operation.ts";
import { findRecord, noSessionsYet, sessionField, type SessionSummary, summaryOf } from "./session-records.ts";

const ids = object({ sessions: list("session ids; `sessions.find` returns them", string("session id")) });

/** Operations that change stored sessions. */
export const changes = {
  rename: writeOperation({
    summary: "Rename a session that is not open anywhere",
    input: object({ session: sessionField, title: string("at most 100 characters") }),
    needs: ["sessions"],
    async run({ session, title }, { sessions }, { principal }) {
      const record = await findRecord(sessions, session, principal);
      if (!sessions || !record.ok) return record.ok ? noSessionsYet : record;
      const { renameSession } = await import("../../sessions/session-title.ts");
      const renamed = await renameSession(record.value, title, sessions);
      return renamed.ok ? ok({ id: record.value.id, title: renamed.value }) : renamed;
    },
  }),

  tag: writeOperation({
    summary: "Show, add or remove the tags of a session",
    input: object({
      session: sessionField,
      tags: list("tags to add", string("tag")),
      remove: optional(flag("remove these tags")),
    }),
    needs: ["sessions"],
    async run({ session, tags: given, remove = false }, { sessions }, { principal }) {
      const record = await findRecord(sessions, session, principal);
      if (!sessions || !record.ok) return record.ok ? noSessionsYet : record;
      const { plainTitle } = await import("../../sessions/session-title.ts");
      const words = given.flatMap((tag) => plainTitle(tag, 50) || []);
      const { id, tags: before = [] } = record.value;
      const tags = remove ? before.filter((tag) => !words.includes(tag)) : [...new Set([...before, ...words])];
      if (words.length > 0) {
        const marked = await sessions.mark(id, { tags }, principal);
        if (!marked.ok) return marked;
      }
      return ok({ id, tags });
    },
  }),

  archive: marking("Archive sessions: they leave the list, and search still finds them", { archived: true }),
  unarchive: marking("Return archived sessions to the list", { archived: false }),
  delete: marking("Delete sessions; they can be restored for a day", { deleted: true }),
  undelete: marking("Restore deleted sessions", { deleted: false }),

  erase: writeOperation({
    summary: "Erase sessions at once, with their recordings, long results and checkpoints",
    input: ids,
    needs: ["config", "sessions"],
    async run({ sessions: names }, { config, sessions: store }, { principal, signal }) {
      if (!store) return noSessionsYet;
      const { eraseSessions } = await import("../../runtime/store/erase-sessions.ts");
      const requested = names.map((id) => asId<SessionId>(id));
      const { sessions: erased, bytes } = await eraseSessions(requested, principal, { store, config }, signal);
      if (signal.aborted)
        return err({ message: `Interrupted after ${erased.length} of ${plural(requested.length, "session")}.` });
      // If freeing the disk space takes longer, the next session continues it.
      await store.upkeep.giveBack(AbortSignal.any([signal, AbortSignal.timeout(maxGiveBackMs)]));
      return ok({ erased, left: requested.filter((id) => !erased.includes(id)), bytes });
    },
  }),
};

const maxGiveBackMs = 5_000;
const batchSize = 100;

function marking(summary: string, marks: SessionMarks) {
  return writeOperation({
    summary,
    input: ids,
    needs: ["sessions"],
    async run({ sessions: names }, { sessions: store }, { principal, signal }) {
      if (!store) return noSessionsYet;
      const sessions: SessionSummary[] = [];
      const failed: { readonly id: string; readonly why: string }[] = [];
      for (let offset = 0; offset < names.length; offset += batchSize) {
        if (signal.aborted)
          return err({ message: `Interrupted after ${sessions.length} of ${plural(names.length, "session")}.` });
        // The store syncs the disk once per batch.
        const batch = names.slice(offset, offset + batchSize);
        const marked = await Promise.all(batch.map((id) => store.mark(asId<SessionId>(id), marks, principal)));
        for (const [index, result] of marked.entries()) {
          if (result.ok) sessions.push(summaryOf(result.value));
          else failed.push({ id: batch[index] ?? "", why: result.error.message });
        }
      }
      return ok({ sessions, failed });
    },
  });
}
