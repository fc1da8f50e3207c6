import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, type EntryId, type SessionId } from "../../src/base/ids.ts";
import type { EntryBody } from "../../src/contracts/session/session.ts";
import { assertFails } from "./failure.ts";
import { keepingConformance } from "./store-keeping-conformance.ts";
import { anna, startedSession, bob, messageEntry, type StoreUnderTest, textsOf } from "./store-scene.ts";

/** The guarantees of every session store. */
export function storeConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  const check = (what: string, run: (under: StoreUnderTest) => Promise<void>) =>
    void test(`${name}: ${what}`, async () => {
      await using under = await open();
      await run(under);
    });

  check("appended entries are read in order, also by another program", async (under) => {
    const { id } = await startedSession(under);
    await under.store.append(id, [messageEntry("one"), messageEntry("two")]);
    await under.store.append(id, [messageEntry("three")]);
    await using other = await under.again();
    assert.deepEqual(textsOf(await other.path(id)), ["one", "two", "three"]);
  });

  check("every kind of entry is read as it was written", async ({ store, again }) => {
    const { id } = await startedSession({ store, again, async [Symbol.asyncDispose]() {} });
    const callId = asId<CallId>("call_1");
    const bodies: readonly EntryBody[] = [
      messageEntry("Grüße, 世界 🌍 \u0000 \ud800"),
      {
        type: "message",
        message: {
          role: "assistant",
          content: [],
          calls: [{ id: callId, name: "terminal", args: '{"command":"ls"}' }],
          stop: "calls",
          provider: { id: "anthropic", data: { signature: "abc" } },
        },
      },
      {
        type: "planned",
        call: {
          callId,
          sessionId: id,
          tool: "terminal",
          args: { command: "ls" },
          effects: [{ kind: "opaque" }],
          origin: "model",
          principal: anna,
        },
      },
      { type: "dispatched", callId },
      {
        type: "settled",
        callId,
        tool: "terminal",
        result: { ok: false, error: { kind: "failed", message: "no", effect: "none", data: { code: 1 } } },
        durationMs: 12.5,
      },
      {
        type: "usage",
        provider: "p",
        model: "m",
        task: "chat",
        usage: { input: 10, output: 5, cacheRead: 3, cacheWrite: 0, reasoning: 1, costUsd: 0.25 },
      },
      { type: "titled", title: "A title", by: "model" },
      { type: "prompted", system: [{ text: "You are.", cache: true }] },
      { type: "state", name: "todos", value: [{ id: "1", content: "x", status: "pending" }] },
      { type: "checkpointed", checkpoint: "cp_1", name: "before the change" },
      { type: "rated", rating: "good", skills: ["commit"] },
      { type: "marked", tags: ["work", "später"], archived: true },
    ];
    await store.append(id, bodies);
    const read = (await store.path(id)).map(({ id: _, parent: __, at: ___, ...body }) => body);
    assert.deepEqual(read, JSON.parse(JSON.stringify(bodies)));
  });

  check("an output is stored once", async (under) => {
    const { id } = await startedSession(under);
    const content = [{ type: "text", text: "out" }] as const;
    const result = { ok: true, value: { content, data: { output: "out" } } } as const;
    await under.store.append(id, [{ type: "settled", callId: asId<CallId>("c"), tool: "t", result, durationMs: 1 }]);
    const [entry] = await under.store.path(id);
    assert.deepEqual(entry?.type === "settled" && entry.result, { ok: true, value: { content } });
  });

  check("appends of one moment keep their order and are all there", async (under) => {
    const { id } = await startedSession(under);
    const requests = Array.from({ length: 300 }, (_, index) => under.store.append(id, [messageEntry(`${index}`)]));
    const stored = await Promise.all(requests);
    assert.equal(new Set(stored.flat().map((entry) => entry.id)).size, 300);
    assert.deepEqual(
      textsOf(await under.store.path(id)),
      stored.map((_, index) => `${index}`),
    );
  });

  check("a session continues from an earlier entry, and the other branch stays", async (under) => {
    const { id } = await startedSession(under);
    const [one, two] = await under.store.append(id, [messageEntry("one"), messageEntry("two")]);
    await under.store.append(id, [
      { type: "head_moved", ...(one && { to: one.id }), why: "undo" },
      messageEntry("other"),
    ]);
    assert.deepEqual(textsOf(await under.store.path(id)), ["one", "head_moved", "other"]);
    assert.deepEqual(textsOf(await under.store.path(id, two?.id)), ["one", "two"]);
    await under.store.append(id, [{ type: "head_moved", why: "from the beginning" }, messageEntry("new")]);
    assert.deepEqual(textsOf(await under.store.path(id)), ["head_moved", "new"]);
  });

  check("one entry is found by its id, in its own session alone", async (under) => {
    const first = await startedSession(under);
    const second = await startedSession(under);
    const [entry] = await under.store.append(first.id, [messageEntry("mine")]);
    assert.ok(entry);
    assert.deepEqual(await under.store.entry(first.id, entry.id), entry);
    assert.equal(await under.store.entry(second.id, entry.id), undefined);
    assert.equal(await under.store.entry(first.id, asId<EntryId>("nonsense")), undefined);
  });

  check("a session belongs to the principal that started it", async (under) => {
    const { id } = await startedSession(under, "secret plans");
    assert.equal((await under.store.get(id, anna))?.id, id);
    assert.equal(await under.store.get(id, bob), undefined);
    assert.deepEqual(await under.store.list({ limit: 10 }, bob), []);
    for (const expected of [id, id.slice(0, 12), "secret plans", "latest"]) {
      assert.equal((await under.store.find(expected, anna)).ok, true, expected);
      assertFails(await under.store.find(expected, bob), /There is no session/u);
    }
  });

  check("a prefix that matches two session ids is rejected as ambiguous", async (under) => {
    const first = await startedSession(under);
    await startedSession(under);
    const match = await under.store.find(first.id.slice(0, 8), anna);
    assert.equal(match.ok, false);
    assert.match(match.ok ? "" : match.error.message, /several/u);
  });

  check("the list is sorted by the last change and shows the first prompt", async (under) => {
    const first = await startedSession(under);
    const second = await startedSession(under);
    await under.store.append(second.id, [messageEntry("b")]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await under.store.append(first.id, [messageEntry("a question\nof two lines"), messageEntry("more")]);
    const listed = await under.store.list({ limit: 10, source: "cli" }, anna);
    assert.deepEqual(
      listed.map(({ id, messages }) => [id, messages]),
      [
        [first.id, 2],
        [second.id, 1],
      ],
    );
    assert.match(listed[0]?.preview ?? "", /a question/u);
    assert.deepEqual(await under.store.list({ limit: 10, source: "gateway" }, anna), []);
  });

  check("one process writes, others get its name", async (under) => {
    const { id, lease } = await startedSession(under);
    await using other = await under.again();
    const refused = await other.lease(id, "gateway");
    assert.match(refused.ok ? "" : refused.error.heldBy, /chat/u);
    await assert.rejects(other.append(id, [messageEntry("no")]), /has not locked it/u);
    await lease[Symbol.asyncDispose]();
    await assert.rejects(under.store.append(id, [messageEntry("no")]), /has not locked it/u);
    const secondLease = await other.lease(id, "gateway");
    assert.ok(secondLease.ok);
    await other.append(id, [messageEntry("yes")]);
    await secondLease.value[Symbol.asyncDispose]();
    assert.deepEqual(textsOf(await under.store.path(id)), ["yes"]);
  });

  check(
    "a session lists the sessions that it started, and a new session can be created with entries",
    async (under) => {
      const parent = await startedSession(under);
      const about = { source: "subagent", principal: anna, parent: parent.id };
      const card: EntryBody = { type: "state", name: "card", value: 1 };
      const first = await under.store.create(about, [card, messageEntry("hello")]);
      const second = await under.store.create(about);
      const ids = (await under.store.children(parent.id, anna)).map(({ id }) => id);
      assert.deepEqual(ids, [first.id, second.id]);
      assert.deepEqual(await under.store.children(parent.id, { id: "somebody else" }), []);
      assert.deepEqual(textsOf(await under.store.path(first.id)), ["state", "hello"]);
      assert.deepEqual(
        (await under.store.entries(first.id, "state")).map(({ type }) => type),
        ["state"],
      );
    },
  );

  check("spend is summed, with the sessions that a session started", async (under) => {
    const parent = await startedSession(under);
    const record = await under.store.create({ source: "subagent", principal: anna, parent: parent.id });
    await under.store.lease(record.id, "child");
    const usage = (costUsd?: number): EntryBody => ({
      type: "usage",
      provider: "p",
      model: "m",
      task: "chat",
      usage: {
        input: 10,
        output: 5,
        cacheRead: 0,
        cacheWrite: 0,
        reasoning: 0,
        ...(costUsd !== undefined && { costUsd }),
      },
    });
    await under.store.append(parent.id, [usage(0.5)]);
    await under.store.append(record.id, [usage(0.25), usage()]);
    const all = { costUsd: 0.75, tokens: 45, calls: 3, unknownCost: 1 };
    assert.deepEqual(await under.store.spent({ sessionId: parent.id }), all);
    assert.deepEqual(await under.store.spent({}), all);
    assert.equal((await under.store.spent({ sessionId: record.id })).calls, 2);
    assert.equal((await under.store.spent({ since: Date.now() + 1000 })).calls, 0);
    assert.deepEqual(await under.store.spent({ who: anna }), all);
    assert.equal((await under.store.spent({ who: anna, since: Date.now() + 1000 })).calls, 0);
    assert.equal((await under.store.spent({ who: { id: "local:nobody" } })).calls, 0);
  });

  keepingConformance(check);

  check("a session that does not exist is an error", async ({ store }) => {
    assert.deepEqual(await store.path(asId<SessionId>("nothing")), []);
    assertFails(await store.find("nothing", anna), /There is no session/u);
  });
}
