import assert from "node:assert/strict";

import { asId, type CallId, type EntryId, newId, type SessionId } from "../../src/base/ids.ts";
import type { Result } from "../../src/base/result.ts";
import { noUsage } from "../../src/contracts/model/model.ts";
import type { Entry, PlacedEntry, SessionQuery } from "../../src/contracts/session/session.ts";
import { assertFails } from "./failure.ts";
import { anna, startedSession, bob, messageEntry, type StoreUnderTest, textsOf } from "./store-scene.ts";

/** The guarantees of every session store for whole sessions: mark, delete, erase, import, export. */
export function keepingConformance(check: (what: string, run: (under: StoreUnderTest) => Promise<void>) => void): void {
  check("entries of all branches come in the order of their writing", async (under) => {
    const { id } = await startedSession(under);
    const [one] = await under.store.append(id, [messageEntry("one"), messageEntry("two")]);
    await under.store.append(id, [
      { type: "head_moved", ...(one && { to: one.id }), why: "branch", branch: "B" },
      messageEntry("other"),
    ]);
    const all = await under.store.entries(id);
    assert.deepEqual(textsOf(all), ["one", "two", "head_moved", "other"]);
    assert.equal(all[2]?.parent, one?.id);
    assert.deepEqual(await under.store.entries(asId<SessionId>("nothing")), []);
  });

  check("entries of all sessions are read on from a place, none twice and none left out", async (under) => {
    const first = await startedSession(under);
    const second = await startedSession(under);
    for (let index = 0; index < 5; index++) {
      await under.store.append(first.id, [messageEntry(`a${index}`)]);
      await under.store.append(second.id, [messageEntry(`b${index}`), messageEntry(`c${index}`)]);
    }
    const read: PlacedEntry[] = [];
    for (;;) {
      const next = await under.store.entriesAfter(read.at(-1)?.place ?? 0, 4);
      if (next.length === 0) break;
      read.push(...next);
    }
    const expected = [0, 1, 2, 3, 4].flatMap((index) => [`a${index}`, `b${index}`, `c${index}`]);
    assert.deepEqual(textsOf(read.map(({ entry }) => entry)), expected);
    assert.equal(read[0]?.sessionId, first.id);
    assert.equal(read[1]?.sessionId, second.id);
  });

  check("tags and archive are kept with the session, and move it nowhere in the list", async (under) => {
    const first = await startedSession(under);
    await under.store.append(first.id, [messageEntry("one")]);
    const second = await startedSession(under);
    await under.store.append(second.id, [messageEntry("two")]);
    const listed = async (query: Omit<SessionQuery, "limit">) =>
      (await under.store.list({ limit: 9, ...query }, anna)).map(({ id }) => id);
    const marked = await under.store.mark(first.id, { tags: ["keep", "日本"] }, anna);
    assert.deepEqual(marked.ok && marked.value.tags, ["keep", "日本"]);
    assert.deepEqual(await listed({}), [second.id, first.id]);
    assert.deepEqual(await listed({ tag: "日本" }), [first.id]);
    assert.deepEqual(await listed({ tag: "kee" }), []);
    assert.ok((await under.store.mark(second.id, { archived: true }, anna)).ok);
    assert.deepEqual(await listed({}), [first.id]);
    assert.deepEqual(await listed({ only: "archived" }), [second.id]);
    const latest = await under.store.find("latest", anna);
    assert.equal(latest.ok && latest.value.id, first.id);
    assert.equal((await under.store.find(second.id, anna)).ok, true);
    assert.ok((await under.store.mark(second.id, { archived: false }, anna)).ok);
    assert.ok((await under.store.mark(first.id, { tags: [] }, anna)).ok);
    assert.deepEqual(await listed({}), [second.id, first.id]);
    assert.equal((await under.store.get(first.id, anna))?.tags, undefined);
    await using again = await under.again();
    assert.deepEqual(textsOf(await again.path(first.id)), ["one", "marked", "marked"]);
  });

  check("a deleted session is hidden everywhere and can be restored whole", async (under) => {
    const { id, lease } = await startedSession(under, "plans");
    await under.store.append(id, [messageEntry("one")]);
    assert.match(messageOf(await under.store.mark(id, { deleted: true }, anna)), /open here/u);
    await using other = await under.again();
    assert.match(messageOf(await other.mark(id, { tags: ["x"] }, anna)), /in use by chat/u);
    await lease[Symbol.asyncDispose]();
    assert.match(messageOf(await under.store.mark(id, { deleted: true }, bob)), /There is no session/u);
    assert.ok((await other.mark(id, { deleted: true }, anna)).ok);
    assert.equal(await under.store.get(id, anna), undefined);
    assert.deepEqual(await under.store.list({ limit: 9 }, anna), []);
    assert.deepEqual(await under.store.path(id), []);
    assert.deepEqual(await under.store.entries(id), []);
    for (const expected of [id, "plans", "latest"])
      assertFails(await under.store.find(expected, anna), /There is no session/u);
    await assert.rejects(under.store.lease(id, "chat"), /no session/u);
    const [deleted] = await under.store.list({ limit: 9, only: "deleted" }, anna);
    assert.equal(deleted?.id, id);
    assert.ok((deleted?.deletedAt ?? 0) > 0);
    assert.deepEqual(await under.store.list({ limit: 9, only: "deleted" }, bob), []);
    assert.ok((await under.store.mark(id, { deleted: false }, anna)).ok);
    assert.deepEqual(textsOf(await under.store.path(id)), ["one", "marked", "marked"]);
    assert.equal((await under.store.get(id, anna))?.deletedAt, undefined);
  });

  check("an erased session leaves nothing; a session in use or of another principal stays", async (under) => {
    const removed = await startedSession(under, "secret");
    const stays = await startedSession(under);
    const callId = asId<CallId>('call "1"');
    const many = Array.from({ length: 300 }, (_, index) => messageEntry(`secret ${index}`));
    const file = "out-1767268800000-0123456789ab.log";
    const text = `All of it is in /home/anna/outputs/${file}: read it. Not out-1.log.`;
    const result = { ok: true, value: { content: [{ type: "text", text }] } } as const;
    await under.store.append(removed.id, [
      ...many,
      { type: "dispatched", callId },
      { type: "settled", callId, tool: "terminal", result, durationMs: 1 },
    ]);
    await under.store.append(stays.id, [messageEntry("mine")]);
    const child = await under.store.create({ source: "subagent", principal: anna, parent: removed.id });
    const none = { sessions: [], calls: [], outputs: [], bytes: 0 };
    assert.deepEqual(await under.store.erase([removed.id], anna), none);
    await removed.lease[Symbol.asyncDispose]();
    assert.deepEqual(await under.store.erase([removed.id, asId<SessionId>("nothing")], bob), none);
    await using other = await under.again();
    const beside = { sessions: [removed.id], calls: [callId], outputs: [file] };
    let reported: unknown;
    const erased = await other.erase([removed.id, stays.id], anna, new AbortController().signal, async (these) => {
      // Owners of related data are notified after the sessions are hidden and before their entries are deleted.
      assert.equal(await under.store.get(removed.id, anna), undefined);
      reported = these;
    });
    assert.deepEqual(reported, beside);
    assert.deepEqual({ ...erased, bytes: 0 }, { ...beside, bytes: 0 });
    assert.ok(erased.bytes > 3_000);
    assert.equal(await under.store.get(removed.id, anna), undefined);
    assert.deepEqual(await under.store.list({ limit: 9, only: "deleted" }, anna), []);
    assert.deepEqual(await under.store.entries(removed.id), []);
    assert.match(messageOf(await under.store.mark(removed.id, { deleted: false }, anna)), /There is no session/u);
    const left = await under.store.entriesAfter(0, 1_000);
    assert.deepEqual(textsOf(left.map(({ entry }) => entry)), ["mine"]);
    assert.equal((await under.store.get(child.id, anna))?.parent, undefined);
    await under.store.append(stays.id, [messageEntry("more")]);
    assert.deepEqual(textsOf(await under.store.path(stays.id)), ["mine", "more"]);
  });

  check("a session from elsewhere has its tree, its times and its place in the list", async (under) => {
    const now = await startedSession(under);
    const [one] = await under.store.append(now.id, [messageEntry("one"), messageEntry("two")]);
    await under.store.append(now.id, [
      { type: "head_moved", ...(one && { to: one.id }), why: "branch" },
      messageEntry("other"),
      { type: "compacted", through: one?.id ?? asId<EntryId>("e0"), messages: [], tokensBefore: 2, tokensAfter: 1 },
      { type: "usage", provider: "p", model: "m", task: "chat", usage: { ...noUsage, input: 3, costUsd: 0.5 } },
      { type: "titled", title: "From elsewhere", by: "user" },
      { type: "marked", tags: ["old"] },
    ]);
    const entries = await under.store.entries(now.id);
    const long = entries.map((entry, index) => ({ ...entry, at: 1_000 + index }));
    const session = { source: "import", principal: anna, createdAt: 900, parent: asId<SessionId>("not here") };
    const imported = await under.store.take(session, long);
    assert.deepEqual([imported.createdAt, imported.changedAt, imported.messages], [900, 1_007, 3]);
    assert.deepEqual([imported.title, imported.tags, imported.preview], ["From elsewhere", ["old"], "one"]);
    const shape = (all: readonly Entry[]) => {
      const places = new Map(all.map(({ id }, index) => [id, index]));
      return all.map(({ id: _, at: __, parent, ...body }) => ({
        ...body,
        parent: parent && places.get(parent),
        ...("through" in body && { through: places.get(body.through) }),
        ...("to" in body && body.to && { to: places.get(body.to) }),
      }));
    };
    const read = await under.store.entries(imported.id);
    assert.deepEqual(shape(read), shape(long));
    assert.deepEqual(
      read.map(({ at: writtenAt }) => writtenAt),
      long.map(({ at: writtenAt }) => writtenAt),
    );
    assert.deepEqual(textsOf(await under.store.path(imported.id)).slice(0, 3), ["one", "head_moved", "other"]);
    assert.equal((await under.store.spent({ sessionId: imported.id })).costUsd, 0.5);
    const older = await under.store.take({ ...session, id: asId<SessionId>("older"), createdAt: 500 }, []);
    const listed = (await under.store.list({ limit: 9 }, anna)).map(({ id }) => id);
    assert.deepEqual(listed, [now.id, imported.id, older.id]);
    await assert.rejects(under.store.take({ ...session, id: older.id }, []), /is a session older already/u);
    const broken = ["a", "b"].map((parent) => ({
      ...messageEntry("x"),
      id: newId<EntryId>("e"),
      parent: asId<EntryId>(parent),
      at: 1,
    }));
    await assert.rejects(under.store.take(session, broken), /is referenced before it appears/u);
  });

  check("a model does not replace the title that a person chose", async (under) => {
    const { id } = await startedSession(under);
    const titled = async (title: string, by: "user" | "model") => {
      await under.store.append(id, [{ type: "titled", title, by }]);
      return (await under.store.get(id, anna))?.title;
    };
    assert.equal(await titled("first", "model"), "first");
    assert.equal(await titled("second", "model"), "second");
    assert.equal(await titled("mine", "user"), "mine");
    assert.equal(await titled("third", "model"), "mine");
    assert.equal(await titled("mine again", "user"), "mine again");
    const named = await startedSession(under, "from the start");
    await under.store.append(named.id, [{ type: "titled", title: "no", by: "model" }]);
    assert.equal((await under.store.get(named.id, anna))?.title, "from the start");
  });

  check("an entry that was imported as damaged stays damaged, and its neighbours stay intact", async ({ store }) => {
    const entryOf = (name: string, before?: string) => ({
      id: asId<EntryId>(name),
      at: 1,
      ...(before !== undefined && { parent: asId<EntryId>(before) }),
    });
    const imported = await store.take({ source: "import", principal: anna, createdAt: 1 }, [
      { ...messageEntry("one"), ...entryOf("a") },
      { type: "damaged", why: "its checksum is wrong", ...entryOf("b", "a") },
      { ...messageEntry("three"), ...entryOf("c", "b") },
    ]);
    assert.deepEqual(textsOf(await store.path(imported.id)), ["one", "damaged", "three"]);
  });
}

function messageOf(result: Result<unknown, { readonly message: string }>): string {
  return result.ok ? "" : result.error.message;
}
