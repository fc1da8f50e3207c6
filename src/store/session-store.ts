import { dirname, join } from "node:path";

import { once } from "../base/async/once.ts";
import type { Clock } from "../base/clock.ts";
import { randomHex } from "../base/digest.ts";
import { makeFolderSync } from "../base/files/make-folder.ts";
import { type SessionId, asId } from "../base/ids.ts";
import { parsedJson } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type {
  Entry,
  EntryBody,
  Erased,
  EraseOutsideData,
  NewSession,
  SessionMarks,
  SessionRecord,
  SessionStore,
} from "../contracts/session/session.ts";
import type { StoreUpkeep } from "../contracts/session/store-upkeep.ts";
import { openWriteWitness } from "./acknowledged-writes.ts";
import { type EntryRow, isIntact, pkOf, entryId } from "./entry-row.ts";
import { type Erasable, eraseStoredSessions } from "./erase-session.ts";
import { createGroupCommit } from "./group-commit.ts";
import { openDatabase } from "./open-database.ts";
import { isEntryOf, placeOf, readAfter, readAll, readEntry, readPath, type SessionPlace } from "./read-entries.ts";
import { finishRepair, isBeingRepaired } from "./salvage/store-swap.ts";
import { draftFile, removeLease, removeLeftLeases, takeLease, takeSession } from "./session-lease.ts";
import { asRow, asRows, prepareStatements } from "./statements.ts";
import { closedError, isDamage, isDuplicateKey, StoreError, storeError } from "./store-fault.ts";
import { watchStoreFile } from "./store-place.ts";
import { createUpkeep } from "./store-upkeep.ts";
import { shareStore } from "./store-users.ts";
import { openStoredDraft } from "./stored-draft.ts";
import { writeNumber } from "./wal-damage.ts";
import { addEntries, addSession, existingPlace } from "./write-entries.ts";

export interface StoreDeps {
  readonly clock: Clock;
  /** Receives messages about damage, and about a file that was deleted while the store was open. */
  readonly say?: (sentence: string) => void;
}

export interface KeptSessionStore extends SessionStore {
  readonly upkeep: StoreUpkeep;
}

/** Opens the session store in one SQLite file. All its functions reject with a `StoreError`. */
export async function openSessionStore(path: string, { clock, say = () => {} }: StoreDeps): Promise<KeptSessionStore> {
  makeHome(path);
  await finishRepair(path, clock);
  const database = await openDatabase(path, say);
  let share = await shareStore(path);
  if (share === undefined || isBeingRepaired(path)) {
    database.close();
    share?.[Symbol.dispose]();
    throw new StoreError("busy", `${path} is being repaired; wait until that is done`);
  }
  const sql = prepareStatements(database);
  const checkPlace = watchStoreFile(path, database, {
    say,
    async onReopened() {
      sql.forget();
      share?.[Symbol.dispose]();
      share = await shareStore(path);
    },
  });
  const witness = openWriteWitness(path, writeNumber(database));
  let number = 0;
  const commit = createGroupCommit(
    database,
    path,
    clock,
    () => void (number = Number(sql.countWrite().get()?.["seq"] ?? 0)),
    () => {
      witness.acknowledge(number);
      return checkPlace();
    },
  );
  const leases = join(dirname(path), "session-locks");
  const held = new Set<SessionId>();
  lookAtNewest();

  /** Checks the newest entries, which a power failure most likely damaged. */
  function lookAtNewest(): void {
    try {
      let chars = 0;
      const rows = asRows<EntryRow>(sql.newest().all(newestCount)).filter(
        ({ body }, index) => index === 0 || (chars += body.length) <= newestChars,
      );
      if (rows.every(isIntact)) return;
    } catch (thrown) {
      if (!isDamage(thrown)) throw storeError(thrown, path);
    }
    say(
      `${path}: some of the newest entries are damaged; the others are intact. Stop all Hermes processes, then run: hermes sessions repair`,
    );
  }

  /** Reads everything in one transaction, so that a partial write is never visible. */
  function reading<T>(read: () => T): T {
    if (!database.isOpen) throw closedError(path);
    try {
      return read();
    } catch (thrown) {
      throw storeError(thrown, path);
    }
  }

  const idOf = (pk: number) => asRow<{ readonly id: string }>(sql.sessionId().get(pk))?.id;
  const rowById = (id: SessionId) => asRow<SessionRow>(sql.session().get(id));

  /** Adds a session with the requested id, or with a new one. */
  async function begin(session: NewSession, createdAt: number, add: (id: SessionId) => void): Promise<SessionId> {
    const id = session.id ?? newSessionId(createdAt);
    if (!idPattern.test(id)) throw new StoreError("failed", `"${id}" cannot be the id of a session`);
    try {
      await commit.write(() => add(id));
      return id;
    } catch (thrown) {
      if (!isDuplicateKey(thrown)) throw thrown;
      // The random id already exists, so another one is tried.
      if (session.id === undefined) return begin(session, createdAt, add);
      throw new StoreError("failed", `there is a session ${id} already`, thrown);
    }
  }

  async function create(session: NewSession, first: readonly EntryBody[] = []): Promise<SessionRecord> {
    const now = clock.now();
    const id = await begin(session, now, (created) => {
      addSession(created, session, now, sql);
      if (first.length > 0) addEntries(existingPlace(created, sql), first, now, sql);
    });
    return { ...session, id, createdAt: now, changedAt: now, messages: 0 };
  }

  async function append(id: SessionId, bodies: readonly EntryBody[], joins?: boolean): Promise<readonly Entry[]> {
    if (!held.has(id))
      throw new StoreError("failed", `session ${id} cannot be written to: this process has not locked it`);
    return commit.write(() => addEntries(existingPlace(id, sql), bodies, clock.now(), sql), joins);
  }

  const anyRow = (id: SessionId, who: Principal) => asRow<SessionRow>(sql.anySession().get(id, who.id));

  async function mark(id: SessionId, marks: SessionMarks, who: Principal): Promise<Result<SessionRecord>> {
    const row = reading(() => anyRow(id, who));
    if (!row) return err({ message: `There is no session "${id}". List them: hermes sessions list` });
    if (held.has(id) && marks.deleted === true) return err({ message: `Session ${id} is open here; leave it first.` });
    const lease = held.has(id) ? undefined : await takeLease(leases, id, "a process that marks it", clock);
    if (lease?.ok === false) {
      return err({ message: `Session ${id} is in use by ${lease.error.heldBy}; stop that process, then try again.` });
    }
    using _lease = lease?.value;
    await commit.write(() => {
      const place = asRow<SessionPlace>(sql.placeOfAny().get(row.pk));
      if (!place) throw new StoreError("failed", `session ${id} was erased at the same moment`);
      addEntries(place, [{ type: "marked", ...marks }], clock.now(), sql);
    });
    return ok(recordOf(reading(() => anyRow(id, who)) ?? row, idOf));
  }

  async function erase(
    ids: readonly SessionId[],
    who: Principal,
    signal: AbortSignal = never,
    beside?: EraseOutsideData,
  ): Promise<Erased> {
    let all: Erased = { sessions: [], calls: [], outputs: [], bytes: 0 };
    for (let offset = 0; offset < ids.length && !signal.aborted; offset += fewAtOnce) {
      using disposables = new DisposableStack();
      const free: Erasable[] = [];
      for (const id of ids.slice(offset, offset + fewAtOnce)) {
        const row = reading(() => anyRow(id, who));
        const lease = row && !held.has(id) ? await takeLease(leases, id, "a process that erases it", clock) : undefined;
        if (!row || !lease?.ok) continue;
        disposables.use(lease.value);
        free.push({ pk: row.pk, id });
      }
      const { sessions, calls, outputs, bytes } = await eraseStoredSessions(
        free,
        { commit, sql, clock },
        signal,
        beside,
      );
      for (const id of sessions) removeLease(leases, id);
      all = {
        sessions: [...all.sessions, ...sessions],
        calls: [...all.calls, ...calls],
        outputs: [...all.outputs, ...outputs],
        bytes: all.bytes + bytes,
      };
    }
    return all;
  }

  return {
    upkeep: {
      ...createUpkeep({ database, commit, sql, clock, reading }),
      removeLeftLeases: () =>
        removeLeftLeases(leases, (id) => reading(() => sql.indexed().get(id)) !== undefined, clock),
    },
    create,
    get: async (id, who) =>
      reading(() => {
        const row = rowById(id);
        return row && row.id === id && row.principal === who.id ? recordOf(row, idOf) : undefined;
      }),
    find: async (text, who) =>
      reading(() => {
        const replacement = text.trim();
        const rows = asRows<SessionRow>(
          replacement === "latest"
            ? sql.latest().all(who.id)
            : [
                ...sql.byId().all(who.id, replacement),
                ...sql.byTitle().all(who.id, replacement),
                ...(replacement.length < minPrefix
                  ? []
                  : sql.byPrefix().all(who.id, replacement, `${replacement}\u{10FFFF}`)),
              ],
        );
        const [first, second] = rows.filter((row, position) => rows.findIndex(({ pk }) => pk === row.pk) === position);
        if (!first) {
          const short =
            replacement.length > 0 && replacement.length < minPrefix
              ? ` (type at least ${minPrefix} characters of an id)`
              : "";
          return err({ message: `There is no session "${text}"${short}. List them: hermes sessions list` });
        }
        const isExact = replacement === "latest" || first.id === replacement || first.title === replacement;
        if (second && !isExact) {
          return err({ message: `"${text}" matches several sessions, such as ${first.id} and ${second.id}` });
        }
        return ok(recordOf(first, idOf));
      }),
    list: async ({ limit, source, before = Number.MAX_SAFE_INTEGER, tag, only, cwd, conversations }, who) =>
      reading(() => {
        const list = only === "archived" ? sql.listArchived() : only === "deleted" ? sql.listDeleted() : sql.list();
        const filters = [source ?? null, before, tag ?? null, limit, cwd ?? null, Number(conversations ?? false)];
        const rows = asRows<SessionRow>(list.all(who.id, ...filters));
        return rows.map((row) => recordOf(row, idOf));
      }),
    children: async (id, who) =>
      reading(() => {
        const pk = placeOf(id, sql)?.pk ?? -1;
        return asRows<SessionRow>(sql.children().all(pk, who.id)).map((row) => recordOf(row, idOf));
      }),
    append,
    path: async (id, head) =>
      reading(() => {
        const place = placeOf(id, sql);
        if (!place) return [];
        if (head === undefined) return readPath(place.pk, place.head, sql);
        const pk = pkOf(head);
        return !Number.isNaN(pk) && isEntryOf(place.pk, pk, sql) ? readPath(place.pk, pk, sql) : [];
      }),
    entry: async (id, entry) =>
      reading(() => {
        const place = placeOf(id, sql);
        const pk = pkOf(entry);
        return place && !Number.isNaN(pk) ? readEntry(place.pk, pk, sql) : undefined;
      }),
    entries: async (id, type) =>
      reading(() => {
        const place = placeOf(id, sql);
        return place ? readAll(place.pk, sql, type) : [];
      }),
    entriesAfter: async (place, limit) => reading(() => readAfter(place, limit, sql)),
    mark,
    erase,
    take: async (session, entries) => {
      const id = await begin(session, session.createdAt, (created) => takeSession(created, session, entries, sql));
      const row = reading(() => rowById(id));
      if (!row) throw new StoreError("failed", `session ${id} was deleted at the same moment`);
      return recordOf(row, idOf);
    },
    async lease(id, holder) {
      if (!reading(() => placeOf(id, sql))) throw new StoreError("failed", `there is no session ${id}`);
      const lock = await takeLease(leases, id, holder, clock);
      if (!lock.ok) return lock;
      held.add(id);
      const draft = await openStoredDraft(draftFile(leases, id), {
        countMessages: () => rowById(id)?.messages ?? 0,
        append: (entries) => append(id, entries),
        clock,
      });
      return ok({
        sessionId: id,
        draft,
        [Symbol.asyncDispose]: once(async () => {
          held.delete(id);
          // Pending writes finish before another process can take the session.
          await commit.idle();
          lock.value[Symbol.dispose]();
        }),
      });
    },
    spent: async ({ since = 0, sessionId, who }) =>
      reading(() => {
        const pk = sessionId === undefined ? undefined : (placeOf(sessionId, sql)?.pk ?? -1);
        const all = () => (who ? sql.spentByPrincipal().get(since, who.id) : sql.spentSince().get(since));
        const row = pk === undefined ? all() : sql.spentBy().get(pk, since);
        const { cost, tokens, calls, unknown } = row ?? {};
        return {
          costUsd: Number(cost ?? 0),
          tokens: Number(tokens ?? 0),
          calls: Number(calls ?? 0),
          unknownCost: Number(unknown ?? 0),
        };
      }),
    [Symbol.asyncDispose]: once(async () => {
      await commit.idle();
      database.close();
      witness[Symbol.dispose]();
      share?.[Symbol.dispose]();
    }),
  };
}

const minPrefix = 4;
/** The number of sessions per call to the other stores. */
const fewAtOnce = 100;
const newestCount = 20;
const never = new AbortController().signal;
/** The maximum number of characters of the entries that each start checks. */
const newestChars = 8_000;
/** The pattern of valid session ids. An id is also the name of a lock file. */
const idPattern = /^[A-Za-z0-9][\w.-]{0,127}$/u;

function makeHome(path: string): void {
  try {
    makeFolderSync(dirname(path), 0o700);
  } catch (thrown) {
    throw storeError(thrown, path);
  }
}

/** A session id such as `20261115_084210_3f9c2a`: sorts by time, and is short enough to type. */
function newSessionId(now: number): SessionId {
  const [day = "", time = ""] = new Date(now - new Date(now).getTimezoneOffset() * 60_000).toISOString().split("T");
  return asId<SessionId>(`${day.replaceAll("-", "")}_${time.slice(0, 8).replaceAll(":", "")}_${randomHex(3)}`);
}

interface SessionRow {
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

function recordOf(row: SessionRow, idOf: (pk: number) => string | undefined): SessionRecord {
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

/** The row of a session has no checksum, so a value that is not a list of words is ignored. */
function tagsIn(text: string): readonly string[] {
  const value = parsedJson(text);
  return Array.isArray(value) ? value.filter((tag) => typeof tag === "string") : [];
}
