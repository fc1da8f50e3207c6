import assert from "node:assert/strict";

import { asId, type CallId, type EntryId, newId, type SessionId } from "../../src/base/ids.ts";
import type { Result } from "../../src/base/result.ts";
import { noUsage } from "../../src/contracts/model/model.ts";
import type { Entry, PlacedEntry, SessionQuery } from "../../src/contracts/session/session.ts";
import { anna, begun, bob, said, type StoreUnderTest, textsOf } from "./store-scene.ts";

/** What every session store does with whole sessions: mark, delete, erase, take over, hand out. */
export function keepingConformance(check: (what: string, run: (under: StoreUnderTest) => Promise<void>) => void): void {
  check("entries of all branches come in the order of their writing", async (under) => {
    const { id } = await begun(under);
    const [one] = await under.store.append(id, [said("one"), said("two")]);
    await under.store.append(id, [
      { type: "head_moved", ...(one && { to: one.id }), why: "branch", branch: "B" },
      said("other"),
    ]);
    const all = await under.store.entries(id);
    assert.deepEqual(textsOf(all), ["one", "two", "head_moved", "other"]);
    assert.equal(all[2]?.parent, one?.id);
    assert.deepEqual(await under.store.entries(asId<SessionId>("nothing")), []);
  });

  check("entries of all sessions are read on from a place, none twice and none left out", async (under) => {
    const first = await begun(under);
    const second = await begun(under);
    for (let at = 0; at < 5; at++) {
      await under.store.append(first.id, [said(`a${at}`)]);
      await under.store.append(second.id, [said(`b${at}`), said(`c${at}`)]);
    }
    const read: PlacedEntry[] = [];
    for (;;) {
      const next = await under.store.entriesAfter(read.at(-1)?.place ?? 0, 4);
      if (next.length === 0) break;
      read.push(...next);
    }
    const expected = [0, 1, 2, 3, 4].flatMap((at) => [`a${at}`, `b${at}`, `c${at}`]);
    assert.deepEqual(textsOf(read.map(({ entry }) => entry)), expected);
    assert.equal(read[0]?.sessionId, first.id);
    assert.equal(read[1]?.sessionId, second.id);
  });

  check("tags and archive are kept with the session, and move it nowhere in the list", async (under) => {
    const first = await begun(under);
    await under.store.append(first.id, [said("one")]);
    const second = await begun(under);
    await under.store.append(second.id, [said("two")]);
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

  check("a deleted session is nowhere, and comes back whole", async (under) => {
    const { id, lease } = await begun(under, "plans");
    await under.store.append(id, [said("one")]);
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
    for (const wanted of [id, "plans", "latest"]) assert.equal((await under.store.find(wanted, anna)).ok, false);
    await assert.rejects(under.store.lease(id, "chat"), /no session/u);
    const [deleted] = await under.store.list({ limit: 9, only: "deleted" }, anna);
    assert.equal(deleted?.id, id);
    assert.ok((deleted?.deletedAt ?? 0) > 0);
    assert.deepEqual(await under.store.list({ limit: 9, only: "deleted" }, bob), []);
    assert.ok((await under.store.mark(id, { deleted: false }, anna)).ok);
    assert.deepEqual(textsOf(await under.store.path(id)), ["one", "marked", "marked"]);
    assert.equal((await under.store.get(id, anna))?.deletedAt, undefined);
  });

  check("an erased session leaves nothing; one that is held or somebody else's stays", async (under) => {
    const gone = await begun(under, "secret");
    const stays = await begun(under);
    const callId = asId<CallId>('call "1"');
    const many = Array.from({ length: 300 }, (_, at) => said(`secret ${at}`));
    const file = "out-1767268800000-0123456789ab.log";
    const text = `All of it is in /home/anna/outputs/${file}: read it. Not out-1.log.`;
    const result = { ok: true, value: { content: [{ type: "text", text }] } } as const;
    await under.store.append(gone.id, [
      ...many,
      { type: "dispatched", callId },
      { type: "settled", callId, tool: "terminal", result, durationMs: 1 },
    ]);
    await under.store.append(stays.id, [said("mine")]);
    const child = await under.store.create({ source: "subagent", principal: anna, parent: gone.id });
    const none = { sessions: [], calls: [], outputs: [], bytes: 0 };
    assert.deepEqual(await under.store.erase([gone.id], anna), none);
    await gone.lease[Symbol.asyncDispose]();
    assert.deepEqual(await under.store.erase([gone.id, asId<SessionId>("nothing")], bob), none);
    await using other = await under.again();
    const beside = { sessions: [gone.id], calls: [callId], outputs: [file] };
    let told: unknown;
    const erased = await other.erase([gone.id, stays.id], anna, new AbortController().signal, async (these) => {
      // Whoever keeps something else of them hears of it when they are found no more, and before their entries go.
      assert.equal(await under.store.get(gone.id, anna), undefined);
      told = these;
    });
    assert.deepEqual(told, beside);
    assert.deepEqual({ ...erased, bytes: 0 }, { ...beside, bytes: 0 });
    assert.ok(erased.bytes > 3_000);
    assert.equal(await under.store.get(gone.id, anna), undefined);
    assert.deepEqual(await under.store.list({ limit: 9, only: "deleted" }, anna), []);
    assert.deepEqual(await under.store.entries(gone.id), []);
    assert.match(messageOf(await under.store.mark(gone.id, { deleted: false }, anna)), /There is no session/u);
    const left = await under.store.entriesAfter(0, 1_000);
    assert.deepEqual(textsOf(left.map(({ entry }) => entry)), ["mine"]);
    assert.equal((await under.store.get(child.id, anna))?.parent, undefined);
    await under.store.append(stays.id, [said("more")]);
    assert.deepEqual(textsOf(await under.store.path(stays.id)), ["mine", "more"]);
  });

  check("a session from elsewhere has its tree, its times and its place in the list", async (under) => {
    const now = await begun(under);
    const [one] = await under.store.append(now.id, [said("one"), said("two")]);
    await under.store.append(now.id, [
      { type: "head_moved", ...(one && { to: one.id }), why: "branch" },
      said("other"),
      { type: "compacted", through: one?.id ?? asId<EntryId>("e0"), messages: [], tokensBefore: 2, tokensAfter: 1 },
      { type: "usage", provider: "p", model: "m", task: "chat", usage: { ...noUsage, input: 3, costUsd: 0.5 } },
      { type: "titled", title: "From elsewhere", by: "user" },
      { type: "marked", tags: ["old"] },
    ]);
    const entries = await under.store.entries(now.id);
    const long = entries.map((entry, at) => ({ ...entry, at: 1_000 + at }));
    const session = { source: "import", principal: anna, createdAt: 900, parent: asId<SessionId>("not here") };
    const taken = await under.store.take(session, long);
    assert.deepEqual([taken.createdAt, taken.changedAt, taken.messages], [900, 1_007, 3]);
    assert.deepEqual([taken.title, taken.tags, taken.preview], ["From elsewhere", ["old"], "one"]);
    const shape = (all: readonly Entry[]) => {
      const places = new Map(all.map(({ id }, at) => [id, at]));
      return all.map(({ id: _, at: __, parent, ...body }) => ({
        ...body,
        parent: parent && places.get(parent),
        ...("through" in body && { through: places.get(body.through) }),
        ...("to" in body && body.to && { to: places.get(body.to) }),
      }));
    };
    const read = await under.store.entries(taken.id);
    assert.deepEqual(shape(read), shape(long));
    assert.deepEqual(
      read.map(({ at }) => at),
      long.map(({ at }) => at),
    );
    assert.deepEqual(textsOf(await under.store.path(taken.id)).slice(0, 3), ["one", "head_moved", "other"]);
    assert.equal((await under.store.spent({ sessionId: taken.id })).costUsd, 0.5);
    const older = await under.store.take({ ...session, id: asId<SessionId>("older"), createdAt: 500 }, []);
    const listed = (await under.store.list({ limit: 9 }, anna)).map(({ id }) => id);
    assert.deepEqual(listed, [now.id, taken.id, older.id]);
    await assert.rejects(under.store.take({ ...session, id: older.id }, []), /is a session older already/u);
    const broken = ["a", "b"].map((parent) => ({
      ...said("x"),
      id: newId<EntryId>("e"),
      parent: asId<EntryId>(parent),
      at: 1,
    }));
    await assert.rejects(under.store.take(session, broken), /named before it comes/u);
  });

  check("a model does not replace the title that a person chose", async (under) => {
    const { id } = await begun(under);
    const titled = async (title: string, by: "user" | "model") => {
      await under.store.append(id, [{ type: "titled", title, by }]);
      return (await under.store.get(id, anna))?.title;
    };
    assert.equal(await titled("first", "model"), "first");
    assert.equal(await titled("second", "model"), "second");
    assert.equal(await titled("mine", "user"), "mine");
    assert.equal(await titled("third", "model"), "mine");
    assert.equal(await titled("mine again", "user"), "mine again");
    const named = await begun(under, "from the start");
    await under.store.append(named.id, [{ type: "titled", title: "no", by: "model" }]);
    assert.equal((await under.store.get(named.id, anna))?.title, "from the start");
  });

  check("what came as damaged from elsewhere stays so, and the rest is around it", async ({ store }) => {
    const at = (name: string, before?: string) => ({
      id: asId<EntryId>(name),
      at: 1,
      ...(before !== undefined && { parent: asId<EntryId>(before) }),
    });
    const taken = await store.take({ source: "import", principal: anna, createdAt: 1 }, [
      { ...said("one"), ...at("a") },
      { type: "damaged", why: "its checksum is wrong", ...at("b", "a") },
      { ...said("three"), ...at("c", "b") },
    ]);
    assert.deepEqual(textsOf(await store.path(taken.id)), ["one", "damaged", "three"]);
  });
}

function messageOf(result: Result<unknown, { readonly message: string }>): string {
  return result.ok ? "" : result.error.message;
}
