import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, type EntryId, type SessionId } from "../../src/base/ids.ts";
import type { EntryBody } from "../../src/contracts/session/session.ts";
import { keepingConformance } from "./store-keeping-conformance.ts";
import { anna, begun, bob, said, type StoreUnderTest, textsOf } from "./store-scene.ts";

/** What every session store does, whatever it is made of. */
export function storeConformance(name: string, open: () => Promise<StoreUnderTest>): void {
  const check = (what: string, run: (under: StoreUnderTest) => Promise<void>) =>
    void test(`${name}: ${what}`, async () => {
      await using under = await open();
      await run(under);
    });

  check("what was appended is read in order, by another program too", async (under) => {
    const { id } = await begun(under);
    await under.store.append(id, [said("one"), said("two")]);
    await under.store.append(id, [said("three")]);
    await using other = await under.again();
    assert.deepEqual(textsOf(await other.path(id)), ["one", "two", "three"]);
  });

  check("every kind of entry comes back as it was", async ({ store, again }) => {
    const { id } = await begun({ store, again, async [Symbol.asyncDispose]() {} });
    const callId = asId<CallId>("call_1");
    const bodies: readonly EntryBody[] = [
      said("Grüße, 世界 🌍 \u0000 \ud800"),
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
    const { id } = await begun(under);
    const content = [{ type: "text", text: "out" }] as const;
    const result = { ok: true, value: { content, data: { output: "out" } } } as const;
    await under.store.append(id, [{ type: "settled", callId: asId<CallId>("c"), tool: "t", result, durationMs: 1 }]);
    const [entry] = await under.store.path(id);
    assert.deepEqual(entry?.type === "settled" && entry.result, { ok: true, value: { content } });
  });

  check("appends of one moment keep their order and are all there", async (under) => {
    const { id } = await begun(under);
    const asked = Array.from({ length: 300 }, (_, at) => under.store.append(id, [said(`${at}`)]));
    const stored = await Promise.all(asked);
    assert.equal(new Set(stored.flat().map((entry) => entry.id)).size, 300);
    assert.deepEqual(
      textsOf(await under.store.path(id)),
      stored.map((_, at) => `${at}`),
    );
  });

  check("a conversation goes on from an earlier place, and the other branch stays", async (under) => {
    const { id } = await begun(under);
    const [one, two] = await under.store.append(id, [said("one"), said("two")]);
    await under.store.append(id, [{ type: "head_moved", ...(one && { to: one.id }), why: "undo" }, said("other")]);
    assert.deepEqual(textsOf(await under.store.path(id)), ["one", "head_moved", "other"]);
    assert.deepEqual(textsOf(await under.store.path(id, two?.id)), ["one", "two"]);
    await under.store.append(id, [{ type: "head_moved", why: "from the beginning" }, said("new")]);
    assert.deepEqual(textsOf(await under.store.path(id)), ["head_moved", "new"]);
  });

  check("one entry is found by its id, in its own session alone", async (under) => {
    const first = await begun(under);
    const second = await begun(under);
    const [entry] = await under.store.append(first.id, [said("mine")]);
    assert.ok(entry);
    assert.deepEqual(await under.store.entry(first.id, entry.id), entry);
    assert.equal(await under.store.entry(second.id, entry.id), undefined);
    assert.equal(await under.store.entry(first.id, asId<EntryId>("nonsense")), undefined);
  });

  check("a session belongs to who began it", async (under) => {
    const { id } = await begun(under, "secret plans");
    assert.equal((await under.store.get(id, anna))?.id, id);
    assert.equal(await under.store.get(id, bob), undefined);
    assert.deepEqual(await under.store.list({ limit: 10 }, bob), []);
    for (const wanted of [id, id.slice(0, 12), "secret plans", "latest"]) {
      assert.equal((await under.store.find(wanted, anna)).ok, true, wanted);
      assert.equal((await under.store.find(wanted, bob)).ok, false, wanted);
    }
  });

  check("a beginning that fits two sessions is not guessed", async (under) => {
    const first = await begun(under);
    await begun(under);
    const found = await under.store.find(first.id.slice(0, 8), anna);
    assert.equal(found.ok, false);
    assert.match(found.ok ? "" : found.error.message, /several/u);
  });

  check("the list has the last changed first, with what was asked", async (under) => {
    const first = await begun(under);
    const second = await begun(under);
    await under.store.append(second.id, [said("b")]);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await under.store.append(first.id, [said("a question\nof two lines"), said("more")]);
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

  check("one writes, others are told who", async (under) => {
    const { id, lease } = await begun(under);
    await using other = await under.again();
    const refused = await other.lease(id, "gateway");
    assert.match(refused.ok ? "" : refused.error.heldBy, /chat/u);
    await assert.rejects(other.append(id, [said("no")]), /not leased/u);
    await lease[Symbol.asyncDispose]();
    await assert.rejects(under.store.append(id, [said("no")]), /not leased/u);
    const taken = await other.lease(id, "gateway");
    assert.ok(taken.ok);
    await other.append(id, [said("yes")]);
    await taken.value[Symbol.asyncDispose]();
    assert.deepEqual(textsOf(await under.store.path(id)), ["yes"]);
  });

  check("what was spent is added up, with what a session started", async (under) => {
    const parent = await begun(under);
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

  check("a session that is not there is said to be not there", async ({ store }) => {
    assert.deepEqual(await store.path(asId<SessionId>("nothing")), []);
    assert.equal((await store.find("nothing", anna)).ok, false);
  });
}
