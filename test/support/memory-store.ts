import { asId, type EntryId, newId, type SessionId } from "../../src/base/ids.ts";
import { ok } from "../../src/base/result.ts";
import type { Entry, EntryBody, SessionRecord, SessionStore } from "../../src/contracts/session.ts";

/** A store that forgets everything with the process; `fail` makes the next appends fail. */
export function memoryStore(): SessionStore & { readonly entries: Entry[]; fail(message: string | undefined): void } {
  const records = new Map<SessionId, SessionRecord>();
  const entries: Entry[] = [];
  let failure: string | undefined;
  let next = 1;
  const find = (text: string) => records.get(asId<SessionId>(text)) ?? [...records.values()].at(-1);
  return {
    entries,
    fail: (message) => void (failure = message),
    async create(session) {
      const id = session.id ?? newId<SessionId>("ses");
      const record = { ...session, id, createdAt: next, changedAt: next, messages: 0 };
      records.set(id, record);
      return record;
    },
    get: async (id) => records.get(id),
    async find(text) {
      const found = find(text);
      return found ? ok(found) : { ok: false, error: { message: `no session ${text}` } };
    },
    list: async () => [...records.values()],
    async append(_id, bodies: readonly EntryBody[]) {
      await Promise.resolve();
      if (failure !== undefined) throw new Error(failure);
      const stored = bodies.map((body): Entry => ({ ...body, id: asId<EntryId>(`e${next}`), at: next++ }));
      entries.push(...stored);
      return stored;
    },
    path: async () => entries,
    entry: async (_id, entry) => entries.find(({ id }) => id === entry),
    lease: async (sessionId) => ok({ sessionId, [Symbol.asyncDispose]: async () => {} }),
    async spent() {
      const booked = entries.flatMap((entry) => (entry.type === "usage" ? [entry.usage] : []));
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
