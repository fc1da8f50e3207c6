import { asId, type EntryId, newId, type SessionId } from "../../src/base/ids.ts";
import { ok } from "../../src/base/result.ts";
import type {
  StoredDraft,
  Entry,
  EntryBody,
  SessionRecord,
  SessionStore,
} from "../../src/contracts/session/session.ts";

/** A store in memory; `fail` makes the next appends fail. */
export function memoryStore(): SessionStore & { readonly stored: Entry[]; fail(message: string | undefined): void } {
  const records = new Map<SessionId, SessionRecord>();
  const stored: Entry[] = [];
  let failure: string | undefined;
  let next = 1;
  const find = (text: string) => records.get(asId<SessionId>(text)) ?? [...records.values()].at(-1);
  return {
    stored,
    fail: (message) => void (failure = message),
    async create(session, first = []) {
      const id = session.id ?? newId<SessionId>("ses");
      const record = { ...session, id, createdAt: next, changedAt: next, messages: 0 };
      records.set(id, record);
      stored.push(...first.map((body): Entry => ({ ...body, id: asId<EntryId>(`e${next}`), at: next++ })));
      return record;
    },
    get: async (id) => records.get(id),
    async find(text) {
      const match = find(text);
      return match ? ok(match) : { ok: false, error: { message: `no session ${text}` } };
    },
    list: async () => [...records.values()],
    children: async (id) => [...records.values()].filter(({ parent }) => parent === id),
    async append(_id, bodies: readonly EntryBody[]) {
      await Promise.resolve();
      if (failure !== undefined) throw new Error(failure);
      const added = bodies.map((body): Entry => ({ ...body, id: asId<EntryId>(`e${next}`), at: next++ }));
      stored.push(...added);
      return added;
    },
    path: async () => stored,
    entry: async (_id, entry) => stored.find(({ id }) => id === entry),
    entries: async (_id, type) => stored.filter((entry) => type === undefined || entry.type === type),
    entriesAfter: async (place, limit) => {
      const [sessionId] = records.keys();
      return sessionId === undefined
        ? []
        : stored.slice(place, place + limit).map((entry, index) => ({ place: place + index + 1, sessionId, entry }));
    },
    async mark(id, { tags, archived, deleted }) {
      const record = records.get(id);
      if (!record) return { ok: false, error: { message: `no session ${id}` } };
      const { archivedAt: _, deletedAt: __, ...rest } = record;
      const marked = {
        ...rest,
        ...(tags && { tags }),
        ...(archived === true && { archivedAt: next }),
        ...(deleted === true && { deletedAt: next }),
      };
      records.set(id, marked);
      return ok(marked);
    },
    async erase(ids) {
      return { sessions: ids.filter((id) => records.delete(id)), calls: [], outputs: [], bytes: 0 };
    },
    async take({ createdAt, ...session }, entries) {
      const id = session.id ?? newId<SessionId>("ses");
      const record = { ...session, id, createdAt, changedAt: createdAt, messages: 0 };
      records.set(id, record);
      stored.push(...entries);
      return record;
    },
    lease: async (sessionId) => ok({ sessionId, draft: noDraft, [Symbol.asyncDispose]: async () => {} }),
    async spent() {
      const booked = stored.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
      return {
        costUsd: booked.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0),
        tokens: booked.reduce((sum, { input, output }) => sum + input + output, 0),
        calls: booked.length,
        unknownCost: booked.filter(({ costUsd }) => costUsd === undefined).length,
      };
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** A draft that keeps nothing: this store ends with its process. */
const noDraft: StoredDraft = { isRestored: false, begin() {}, add() {}, clear() {} };
