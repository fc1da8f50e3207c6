import { statSync } from "node:fs";

import { asId, type EntryId, type SessionId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import { flag, integer, list, object, oneOf, optional, string } from "../../contracts/host/input-schema.ts";
import type { SearchedRole } from "../../contracts/session/session-search.ts";
import type { SessionRecord } from "../../contracts/session/session.ts";
import { keepTag } from "../../contracts/session/store-upkeep.ts";
import { readOperation } from "../operation.ts";
import { findRecord, maxSessions, noSessionsYet, sessionField, summaryOf } from "./session-records.ts";
import { changes } from "./sessions-change.ts";
import { transfers } from "./sessions-transfer.ts";

const limit = (description: string) => optional(integer(description, { minimum: 1 }));

const roles = ["user", "assistant", "tool"] as const satisfies readonly SearchedRole[];

const dayMs = 86_400_000;

export const operations = {
  list: readOperation({
    summary: "List sessions, last changed first",
    input: object({
      limit: limit("maximum number of sessions; default: 20"),
      source: optional(string("only sessions from this source: cli, oneshot, library, subagent")),
      tag: optional(string("only sessions with this tag")),
      cwd: optional(string("only sessions that started in this folder")),
      conversations: optional(flag("exclude one-shot runs, child agents and empty sessions")),
      only: optional(oneOf("default: sessions that are neither archived nor deleted", ["archived", "deleted"])),
    }),
    needs: ["sessions"],
    async run({ limit: max = 20, ...query }, { sessions }, { principal }) {
      const records = (await sessions?.list({ limit: max, ...withoutUndefined(query) }, principal)) ?? [];
      return ok({ sessions: records.map(summaryOf) });
    },
  }),

  find: readOperation({
    summary: "Find sessions by id, prefix of an id, title, or `latest`",
    input: object({
      sessions: list("one name per session", string("id, prefix of an id, title, or latest")),
      only: optional(oneOf("default: sessions that are not deleted", ["deleted", "any"])),
    }),
    needs: ["sessions"],
    async run({ sessions: names, only }, { sessions: store }, { principal }) {
      if (!store) return noSessionsYet;
      const deleted = only === undefined ? [] : await store.list({ limit: maxSessions, only: "deleted" }, principal);
      const records: SessionRecord[] = [];
      for (const name of names) {
        const match =
          only === "deleted"
            ? findDeleted(name, deleted)
            : (matchExactly(name, deleted) ?? (await findRecord(store, name, principal)));
        if (!match.ok) return match;
        if (!records.some(({ id }) => id === match.value.id)) records.push(match.value);
      }
      return ok({ sessions: records.map(summaryOf) });
    },
  }),

  unused: readOperation({
    summary: "List sessions that have not been used for some days, except archived ones and those with the tag `keep`",
    input: object({
      days: integer("minimum number of days since the last use", { minimum: 1 }),
      source: optional(string("only sessions from this source: cli, oneshot, library")),
    }),
    needs: ["sessions"],
    async run({ days, source }, { sessions }, { principal, clock }) {
      if (!sessions) return noSessionsYet;
      const query = { limit: maxSessions, before: clock.now() - days * dayMs, ...withoutUndefined({ source }) };
      const records = await sessions.list(query, principal);
      return ok({ sessions: records.filter(({ tags }) => !tags?.includes(keepTag)).map(summaryOf) });
    },
  }),

  show: readOperation({
    summary: "Read a session, even one that another process has open",
    input: object({
      session: sessionField,
      branch: optional(string("the branch to read; default: the current one")),
    }),
    needs: ["sessions"],
    async run({ session, branch }, { sessions }, { principal }) {
      const record = await findRecord(sessions, session, principal);
      if (!sessions || !record.ok) return record.ok ? noSessionsYet : record;
      let tip: EntryId | undefined;
      if (branch !== undefined) {
        const { readTree, findBranch } = await import("../../sessions/find-branch.ts");
        const match = findBranch(branch, await readTree(sessions, record.value.id));
        if (!match.ok)
          return err({ message: `${match.error.message}.`, hint: "`hermes sessions tree ID` shows them." });
        ({ tip } = match.value);
      }
      const { childAgents } = await import("./child-agents.ts");
      return ok({
        session: summaryOf(record.value),
        entries: await sessions.path(record.value.id, tip),
        agents: await childAgents(sessions, record.value.id, principal),
      });
    },
  }),

  tree: readOperation({
    summary: "Read the branches of a session",
    input: object({ session: sessionField }),
    needs: ["sessions"],
    async run({ session }, { sessions }, { principal }) {
      const record = await findRecord(sessions, session, principal);
      if (!sessions || !record.ok) return record.ok ? noSessionsYet : record;
      const { readTree } = await import("../../sessions/find-branch.ts");
      return ok({ session: summaryOf(record.value), ...(await readTree(sessions, record.value.id)) });
    },
  }),

  search: readOperation({
    summary: "Search the text of your sessions",
    input: object({
      text: string('words, "a phrase", prefix*, -excluded, a OR b'),
      limit: optional(integer("maximum number of sessions; default: 10", { minimum: 1, maximum: 50 })),
      roles: optional(list("roles to search; default: user and assistant", oneOf("role", roles))),
      since: optional(integer("start of the time range, in epoch milliseconds")),
      until: optional(integer("end of the time range, in epoch milliseconds")),
      sort: optional(oneOf("sort order; default: best match first", ["newest", "oldest"])),
      without: optional(list("exclude these sessions and the sessions that they started", string("session id"))),
      wait: optional(flag("wait until everything is indexed")),
    }),
    needs: ["sessions", "search"],
    async run({ limit: max = 10, without, wait, ...query }, { sessions: store, search }, { principal, signal }) {
      if (!store) return ok({ sessions: [], note: undefined, bounded: false, behind: 0 });
      const { findSessions } = await import("../../runtime/store/open-search.ts");
      if (wait) await search.ready(signal);
      const ids = without?.map((id) => asId<SessionId>(id));
      const { text: words, ...filters } = query;
      const { found: matches, ...answer } = await findSessions(
        { text: words, limit: max, ...withoutUndefined({ ...filters, without: ids }) },
        principal,
        { store, search },
        signal,
      );
      const sessions = matches.map(({ record, entry, role, at: writtenAt, snippet, isTitle = false, more }) => ({
        ...withoutUndefined({ id: record.id, title: record.title, preview: record.preview }),
        source: record.source,
        entry,
        role,
        at: writtenAt,
        snippet,
        inTitle: isTitle,
        more,
      }));
      return ok({ sessions, ...answer });
    },
  }),

  stats: readOperation({
    summary: "Count sessions and messages, with their cost and disk usage",
    needs: ["config", "sessions"],
    async run(_input, { config, sessions: store }, { principal }) {
      const { sessionsFile } = await import("../../runtime/store/open-sessions.ts");
      const records = async (only?: "archived" | "deleted") =>
        (await store?.list({ limit: maxSessions, ...withoutUndefined({ only }) }, principal)) ?? [];
      const [listed, archived, deleted] = await Promise.all([records(), records("archived"), records("deleted")]);
      const { calls, tokens, costUsd } = (await store?.spent({ who: principal })) ?? {
        calls: 0,
        tokens: 0,
        costUsd: 0,
      };
      const all = [...listed, ...archived];
      const oldest = all.reduce<number | undefined>(
        (min, { createdAt }) => Math.min(min ?? createdAt, createdAt),
        undefined,
      );
      return ok({
        sessions: listed.length,
        archived: archived.length,
        deleted: deleted.length,
        messages: all.reduce((sum, each) => sum + each.messages, 0),
        sources: countBySource(all),
        ...withoutUndefined({ oldest }),
        calls,
        tokens,
        costUsd,
        bytes: fileBytes(sessionsFile(config)),
      });
    },
  }),

  ...changes,
  ...transfers,
};

function matchExactly(name: string, records: readonly SessionRecord[]) {
  const match = records.find(({ id, title }) => id === name || title === name);
  return match && ok(match);
}

function findDeleted(name: string, deleted: readonly SessionRecord[]) {
  const exact = matchExactly(name, deleted);
  if (exact) return exact;
  const [first, second] = deleted.filter(({ id }) => name.length >= 4 && id.startsWith(name));
  if (first && !second) return ok(first);
  const message = first ? `"${name}" matches several deleted sessions.` : `There is no deleted session "${name}".`;
  return err({ message, hint: "List them: hermes sessions list --deleted" });
}

function countBySource(records: readonly SessionRecord[]) {
  return [...Map.groupBy(records, ({ source }) => source)]
    .map(([source, group]) => ({
      source,
      sessions: group.length,
      messages: group.reduce((sum, each) => sum + each.messages, 0),
    }))
    .toSorted((a, b) => b.sessions - a.sessions);
}

/** Size of a database file with its write-ahead log. */
function fileBytes(file: string): number {
  return [file, `${file}-wal`].reduce((sum, each) => sum + (statSync(each, { throwIfNoEntry: false })?.size ?? 0), 0);
}
