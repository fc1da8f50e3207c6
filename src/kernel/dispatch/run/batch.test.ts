import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";
import { z } from "zod";

import { call, dispatchRig } from "../../../../test/support/dispatch-rig.ts";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { overlaps } from "../../../base/files/path.ts";
import { defineTool } from "../../../contracts/tool/define-tool.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import { fail, text, type ToolResult } from "../../../contracts/tool/tool-result.ts";
import type { Tool, ToolTraits } from "../../../contracts/tool/tool.ts";

interface Span {
  readonly id: string;
  readonly effects: readonly Effect[];
  readonly alone: boolean;
  readonly from: number;
  to: number;
}

/** Tools that record when they run. Time is measured as the number of starts and ends. */
function watched(): { readonly tools: readonly Tool[]; readonly spans: Span[]; maxRunning: () => number } {
  const spans: Span[] = [];
  let tick = 0;
  let running = 0;
  let maxRunning = 0;
  const input = z.object({ id: z.string(), effects: z.array(z.unknown()), ms: z.number().default(0) });
  const define = (name: string, traits: Partial<ToolTraits>) =>
    defineTool({
      name,
      toolset: "t",
      description: "",
      input,
      traits,
      effects: ({ effects }) => effects as Effect[],
      async run({ id, effects, ms }, { signal }) {
        const span: Span = { id, effects: effects as Effect[], alone: name === "alone", from: tick++, to: Infinity };
        spans.push(span);
        maxRunning = Math.max(maxRunning, ++running);
        for (let turn = 0; turn < ms && !signal.aborted; turn++) await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        span.to = tick++;
        return signal.aborted ? fail("stopped", "aborted", { effect: "unknown" }) : text(id);
      },
    });
  return { tools: [define("parallel", { parallel: true }), define("alone", {})], spans, maxRunning: () => maxRunning };
}

function shown(result: ToolResult | undefined): string {
  if (!result?.ok) return result?.error.kind ?? "nothing";
  return result.value.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

const path = fc.constantFrom("/a", "/a/b", "/a/bc", "/a/b/c", "/d");
const anyEffect: fc.Arbitrary<Effect> = fc.oneof(
  fc.record({ kind: fc.constantFrom("read" as const, "write" as const, "delete" as const), path }),
  fc.record({ kind: fc.constant("move" as const), from: path, to: path }),
  fc.record({
    kind: fc.constant("exec" as const),
    command: fc.constant("x"),
    cwd: path,
    background: fc.boolean(),
    leavesNoTrace: fc.boolean(),
  }),
  fc.constant({ kind: "network", url: "https://example.org" } as const),
);
const anyCalls = fc.array(
  fc.record({
    name: fc.constantFrom("parallel", "parallel", "parallel", "alone"),
    effects: fc.array(anyEffect, { maxLength: 2 }),
    ms: fc.nat({ max: 3 }),
  }),
  { maxLength: 12 },
);

function disturb(a: Span, b: Span): boolean {
  const writes = (span: Span) =>
    span.effects.flatMap((effect) =>
      effect.kind === "write" || effect.kind === "delete"
        ? [effect.path]
        : effect.kind === "move"
          ? [effect.from, effect.to]
          : [],
    );
  const touched = (span: Span) => [
    ...writes(span),
    ...span.effects.flatMap((effect) => (effect.kind === "read" ? [effect.path] : [])),
  ];
  const traces = (span: Span) => span.effects.some((effect) => effect.kind === "exec" && !effect.leavesNoTrace);
  return (
    a.alone ||
    b.alone ||
    traces(a) ||
    traces(b) ||
    writes(a).some((one) => touched(b).some((other) => overlaps(one, other))) ||
    writes(b).some((one) => touched(a).some((other) => overlaps(one, other)))
  );
}

test("conflicting calls never overlap and keep their order, and results are in the order of the calls", async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, async (calls) => {
      const { tools, spans, maxRunning } = watched();
      const rig = dispatchRig(tools);
      const requests = calls.map(({ name, effects, ms }, index) =>
        call(name, { id: `${index}`, effects: effects as never, ms }, `c${index}`),
      );
      const results = await rig.dispatcher.dispatchAll(requests, rig.scope());
      assert.deepEqual(
        results.map(shown),
        calls.map((_, index) => `${index}`),
      );
      for (const a of spans) {
        for (const b of spans) {
          if (Number(a.id) < Number(b.id) && disturb(a, b)) assert.ok(a.to < b.from, `${a.id} and ${b.id} overlap`);
        }
      }
      assert.ok(maxRunning() <= 16);
    }),
  );
});

test("every call gets exactly one result, no matter when an interrupt arrives", async () => {
  await fc.assert(
    fc.asyncProperty(anyCalls, fc.nat({ max: 20 }), async (calls, after) => {
      const { tools, spans } = watched();
      const rig = dispatchRig(tools);
      const controller = new AbortController();
      const requests = calls.map(({ name, effects, ms }, index) =>
        call(name, { id: `${index}`, effects: effects as never, ms: ms * 5 }, `c${index % 3}`),
      );
      const running = rig.dispatcher.dispatchAll(requests, rig.scope({ signal: controller.signal }));
      for (let turn = 0; turn < after; turn++) await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      const results = await running;
      assert.equal(results.length, calls.length);
      for (const [index, result] of results.entries()) {
        const started = spans.some(({ id }) => id === `${index}`);
        if (result.ok) assert.equal(shown(result), `${index}`);
        else assert.deepEqual([result.error.kind, result.error.effect], ["aborted", started ? "unknown" : "none"]);
      }
      const settled = rig.written.filter((line) => line.startsWith("settled")).length;
      assert.equal(settled, rig.written.filter((line) => line.startsWith("planned")).length);
    }),
  );
});

test("up to 16 read-only calls run in parallel", async () => {
  const { tools, maxRunning } = watched();
  const rig = dispatchRig(tools);
  const requests = Array.from({ length: 100 }, (_, index) =>
    call("parallel", { id: `${index}`, effects: [{ kind: "read", path: "/a" }], ms: 5 }, `c${index}`),
  );
  const results = await rig.dispatcher.dispatchAll(requests, rig.scope());
  assert.deepEqual(
    results.map(shown),
    requests.map((_, index) => `${index}`),
  );
  assert.equal(maxRunning(), 16);
});

test("commands without effects run in parallel, and other commands run alone", async () => {
  for (const [leavesNoTrace, expected] of [
    [true, 4],
    [false, 1],
  ] as const) {
    const { tools, maxRunning } = watched();
    const rig = dispatchRig(tools);
    const effects = [{ kind: "exec", command: "ls", cwd: "/a", background: false, leavesNoTrace }];
    const requests = Array.from({ length: 4 }, (_, index) =>
      call("parallel", { id: `${index}`, effects, ms: 5 }, `c${index}`),
    );
    await rig.dispatcher.dispatchAll(requests, rig.scope());
    assert.equal(maxRunning(), expected);
  }
});

test("an invalid call does not affect the valid calls of the same turn", async () => {
  const { tools } = watched();
  const rig = dispatchRig(tools);
  const good = (id: string) => call("parallel", { id, effects: [] }, id);
  const results = await rig.dispatcher.dispatchAll(
    [good("a"), call("parallel", "{", "b"), call("nothing", {}, "c"), good("d")],
    rig.scope(),
  );
  assert.deepEqual(results.map(shown), ["a", "invalid_args", "unknown_tool", "d"]);
});

test("calls with empty or repeated ids have distinct ids in the ledger", async () => {
  const { tools } = watched();
  const rig = dispatchRig(tools);
  const requests = ["x", "x", ""].map((id, index) => call("parallel", { id: `${index}`, effects: [] }, id));
  const results = await rig.dispatcher.dispatchAll(requests, rig.scope());
  assert.deepEqual(results.map(shown), ["0", "1", "2"]);
  const planned = rig.written.filter((line) => line.startsWith("planned"));
  assert.equal(new Set(planned).size, 3);
  assert.ok(!planned.includes("planned "));
});

test("when a turn exceeds its budget, the longest results are written to files first, and the record shows what the model sees", async () => {
  const long = defineTool({
    name: "long",
    toolset: "t",
    description: "",
    input: z.object({ chars: z.number() }),
    traits: { parallel: true, readOnly: true },
    run: async ({ chars }) => text("x".repeat(chars)),
  });
  const settled = new Map<string, ToolResult>();
  const rig = dispatchRig([long], {
    ledger: { planned() {}, dispatched() {}, settled: (id, result) => void settled.set(id, result) },
  });
  const sizes = [90_000, 20_000, 95_000, 10];
  const results = await rig.dispatcher.dispatchAll(
    sizes.map((chars, index) => call("long", { chars }, `c${index}`)),
    rig.scope(),
  );
  assert.deepEqual(
    results.map((result) => shown(result).startsWith("<persisted-output>")),
    [false, false, true, false],
  );
  assert.deepEqual([...rig.spilled.keys()], ["c2"]);
  assert.deepEqual(
    results,
    sizes.map((_, index) => settled.get(`c${index}`)),
  );
});

test("parallel calls are recorded together before the first of them runs", async () => {
  const { tools } = watched();
  const order: string[] = [];
  const soon = () => new Promise<void>((resolve) => setImmediate(resolve));
  const rig = dispatchRig(tools, {
    clock: fakeClock(),
    resolver: {
      // Simulates that resolving a call takes a moment.
      async resolve(effects) {
        await soon();
        return { ok: true, value: effects };
      },
    },
    ledger: {
      planned() {},
      async dispatched(id) {
        order.push(`begun ${id}`);
        await soon();
      },
      settled: (id) => void order.push(`over ${id}`),
    },
  });
  const ids = ["a", "b", "c"];
  await rig.dispatcher.dispatchAll(
    ids.map((id) => call("parallel", { id, effects: [{ kind: "read", path: `/${id}` }] }, id)),
    rig.scope(),
  );
  assert.deepEqual(order.slice(0, 3), ["begun a", "begun b", "begun c"]);
});

test("many calls with fast checks start together, and no call waits long for the others", async () => {
  const { tools } = watched();
  const clock = fakeClock();
  const begunAt: number[] = [];
  const rig = dispatchRig(tools, {
    clock,
    resolver: {
      async resolve(effects) {
        // Lets the timers that are due run first.
        clock.advance(15);
        await new Promise((resolve) => setImmediate(resolve));
        return { ok: true, value: effects };
      },
    },
    ledger: { planned() {}, dispatched: () => void begunAt.push(clock.elapsed()), settled() {} },
  });
  const calls = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      call("parallel", { id: `${index}`, effects: [{ kind: "read", path: `/${index}` }] }, `c${index}`),
    );
  await rig.dispatcher.dispatchAll(calls(6), rig.scope());
  assert.equal(new Set(begunAt).size, 1, `they began index ${begunAt.join(", ")}`);
  begunAt.length = 0;
  const since = clock.elapsed();
  await rig.dispatcher.dispatchAll(calls(12), rig.scope());
  // The calls are released about 100 ms after the first one is ready.
  assert.equal(begunAt[0], since + 120);
});

test("a call does not wait for the slow check of the next one", async () => {
  const { tools, spans } = watched();
  const started = Promise.withResolvers<void>();
  const rig = dispatchRig(tools, {
    resolver: {
      async resolve(effects) {
        const [first] = effects;
        if (first?.kind === "read" && first.path === "/slow") await started.promise;
        return { ok: true, value: effects };
      },
    },
    ledger: { planned() {}, dispatched: () => started.resolve(), settled() {} },
  });
  const calls = ["/quick", "/slow"].map((path) =>
    call("parallel", { id: path, effects: [{ kind: "read", path }] }, path.slice(1)),
  );
  await rig.dispatcher.dispatchAll(calls, rig.scope());
  assert.deepEqual(
    spans.map(({ id }) => id),
    ["/quick", "/slow"],
  );
});
