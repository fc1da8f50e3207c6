import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../../../test/support/dispatch-rig.ts";
import { fakeClock } from "../../../../test/support/fake-clock.ts";
import type { PolicyRequest } from "../../../contracts/safety/approval.ts";
import { defineTool } from "../../../contracts/tool/define-tool.ts";
import type { Effect } from "../../../contracts/tool/effect.ts";
import type { LedgerCall, RefusedCall } from "../../../contracts/tool/ledger.ts";
import { type CallTool, fail, json, text, type ToolResult } from "../../../contracts/tool/tool-result.ts";
import type { Tool } from "../../../contracts/tool/tool.ts";
import { createTurnTaint } from "../../session/session-taint.ts";

/** A tool whose handler makes nested calls. */
function parentTool(
  run: (call: CallTool, signal: AbortSignal) => Promise<ToolResult>,
  more: { readonly name?: string; readonly timeoutMs?: number; readonly effects?: readonly Effect[] } = {},
): Tool {
  return defineTool({
    name: more.name ?? "parent",
    toolset: "test",
    description: "Calls other tools.",
    input: z.object({}),
    needs: ["call"],
    traits: { callers: "both", parallel: true, ...(more.timeoutMs !== undefined && { timeoutMs: more.timeoutMs }) },
    effects: () => more.effects ?? [],
    run: (_, { call: callTool, signal }) => run(callTool, signal),
  });
}

/** A tool that other tools call. Its effects depend on its argument `path`. */
function leaf(
  name: string,
  run: (args: { readonly path: string; readonly word: string }, signal: AbortSignal) => Promise<ToolResult>,
  timeoutMs?: number,
) {
  return defineTool({
    name,
    toolset: "test",
    description: "Is called.",
    input: z.object({ path: z.string().optional(), word: z.string().optional() }),
    traits: { callers: "both", parallel: true, ...(timeoutMs !== undefined && { timeoutMs }) },
    effects: ({ path }) => (path === undefined ? [] : [{ kind: "write", path }]),
    run: ({ path = "", word = "" }, { signal }) => run({ path, word }, signal),
  });
}

const echo = leaf("echo", async ({ word }) => text(word));

function shown(result: ToolResult): string {
  if (!result.ok) return result.error.kind;
  const [part] = result.value.content;
  return part?.type === "text" ? part.text : "";
}

/** Runs all work that is ready without advancing the clock. */
async function settle(): Promise<void> {
  for (let round = 0; round < 200; round++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}

test("ten parallel nested calls return their results in order, including a denied one, a slow one and one on a path that the parent uses", async () => {
  const clock = fakeClock();
  const slow = leaf("slow", () => new Promise(() => {}), 1000);
  const write = leaf("write", async ({ path }) => text(`wrote ${path}`));
  const secret = leaf("secret", async () => text("never"));
  const parent = parentTool(
    async (callTool) => {
      const results = await Promise.all([
        callTool("write", { path: "/project/held" }),
        callTool("secret", {}),
        callTool("slow", {}),
        ...Array.from({ length: 7 }, (_, index) => callTool("echo", { word: `word ${index}` })),
      ]);
      return json(results.map(shown));
    },
    { effects: [{ kind: "write", path: "/project/held" }] },
  );
  const refused: RefusedCall[] = [];
  const planned: LedgerCall[] = [];
  const settled: string[] = [];
  const rig = dispatchRig([parent, echo, slow, write, secret], {
    clock,
    policy: {
      decide: async ({ tool }) => (tool === "secret" ? { decision: "deny", reason: "no" } : { decision: "allow" }),
    },
    ledger: {
      planned: (about) => void planned.push(about),
      dispatched() {},
      settled: (callId) => void settled.push(callId),
      refused: (about) => void refused.push(about),
    },
  });
  const work = rig.dispatcher.dispatchAll([call("parent"), call("echo", { word: "after" }, "call_2")], rig.scope());
  for (let round = 0; round < 30; round++) {
    await settle();
    clock.advance(500);
  }
  const [result, after] = await work;
  assert.ok(result?.ok && after?.ok);
  const words = Array.from({ length: 7 }, (_, index) => `word ${index}`);
  assert.deepEqual(result.value.data, ["wrote /project/held", "denied", "timeout", ...words]);
  const nested = planned.filter(({ parentCallId }) => parentCallId === "call_1");
  assert.deepEqual(nested.map(({ tool }) => tool).toSorted(), [...words.map(() => "echo"), "slow", "write"]);
  assert.deepEqual(
    refused.map(({ tool, parentCallId, result: { ok } }) => [tool, parentCallId, ok]),
    [["secret", "call_1", false]],
  );
  const outcomes = [...settled, ...refused.map(({ callId }) => callId)];
  assert.equal(outcomes.length, 12);
  assert.equal(new Set(outcomes).size, 12);
});

test("the wait of a nested call for approval does not count against the parent's time limit", async () => {
  const clock = fakeClock();
  const answer = Promise.withResolvers<void>();
  const parent = parentTool(async (callTool) => text(shown(await callTool("echo", { word: "hi" }))), {
    timeoutMs: 1000,
  });
  const grandparent = parentTool(async (callTool) => callTool("parent", {}), { name: "grandparent", timeoutMs: 1000 });
  const rig = dispatchRig([grandparent, parent, echo], {
    clock,
    policy: {
      async decide({ tool }) {
        if (tool === "echo") await answer.promise;
        return { decision: "allow" };
      },
    },
  });
  const work = rig.dispatcher.dispatch(call("grandparent"), rig.scope());
  await settle();
  clock.advance(900);
  await settle();
  clock.advance(3_600_000);
  await settle();
  answer.resolve();
  await settle();
  assert.equal(shown(await work), "hi");
});

test("when the time limit of a parent call expires, its nested calls end", async () => {
  const clock = fakeClock();
  let reason: unknown;
  const slow = leaf("slow", (_, signal) => {
    const over = Promise.withResolvers<ToolResult>();
    signal.addEventListener("abort", () => {
      reason = signal.reason;
      over.resolve(fail("stopped", "aborted"));
    });
    return over.promise;
  });
  const parent = parentTool(async (callTool) => callTool("slow", {}), { timeoutMs: 1000 });
  const rig = dispatchRig([parent, slow], { clock });
  const work = rig.dispatcher.dispatch(call("parent"), rig.scope());
  await settle();
  clock.advance(1000);
  await settle();
  assert.equal(shown(await work), "timeout");
  assert.match(String(reason), /ran out of time/u);
  assert.equal(rig.written.filter((line) => line.startsWith("settled")).length, 2);
});

test("an interrupt ends nested calls, and nested calls that a parent leaves running end with the parent", async () => {
  const ended: string[] = [];
  const slow = leaf("slow", ({ word }, signal) => {
    const over = Promise.withResolvers<ToolResult>();
    signal.addEventListener("abort", () => {
      ended.push(word);
      over.resolve(fail("stopped", "aborted"));
    });
    return over.promise;
  });
  const waits = parentTool(async (callTool) => callTool("slow", { word: "waited for" }));
  const leaves = parentTool(
    async (callTool) => {
      void callTool("slow", { word: "left" });
      await settle();
      return text("done");
    },
    { name: "leaves" },
  );
  const rig = dispatchRig([waits, leaves, slow]);
  const abort = new AbortController();
  const work = rig.dispatcher.dispatch(call("parent"), rig.scope({ signal: abort.signal }));
  await settle();
  abort.abort();
  assert.equal(shown(await work), "aborted");
  assert.equal(shown(await rig.dispatcher.dispatch(call("leaves", {}, "call_2"), rig.scope())), "done");
  assert.deepEqual(ended, ["waited for", "left"]);
  assert.equal(rig.written.filter((line) => line.startsWith("settled")).length, 4);
});

test("an approval of the parent does not approve its nested calls", async () => {
  const requests: PolicyRequest[] = [];
  const environments: unknown[] = [];
  const inside = { kind: "inside" } as never;
  const outside = { kind: "outside" } as never;
  const look = defineTool({
    name: "look",
    toolset: "test",
    description: "Shows which environment it got.",
    input: z.object({}),
    needs: ["environment"],
    traits: { callers: "both" },
    effects: () => [],
    async run(_, { environment }) {
      environments.push(environment.kind);
      return text("seen");
    },
  });
  const rig = dispatchRig([parentTool(async (callTool) => callTool("look", {})), look], {
    policy: {
      async decide(request) {
        requests.push(request);
        return request.tool === "parent" ? { decision: "allow", byPerson: true } : { decision: "allow" };
      },
    },
  });
  const scope = rig.scope({ services: { environment: inside }, approvedServices: { environment: outside } });
  assert.equal(shown(await rig.dispatcher.dispatch(call("parent"), scope)), "seen");
  assert.deepEqual(environments, ["inside"]);
  assert.deepEqual(
    requests.map(({ tool, origin, parentCallId }) => [tool, origin, parentCallId]),
    [
      ["parent", "model", undefined],
      ["look", "script", "call_1"],
    ],
  );
});

test("nested calls can use only tools that scripts may call, with a limited depth and number", async () => {
  const results: string[] = [];
  const modelOnly = defineTool({
    name: "model_only",
    toolset: "test",
    description: "For the model.",
    input: z.object({}),
    effects: () => [],
    run: async () => text("called"),
  });
  const parent = parentTool(async (callTool) => {
    results.push(shown(await callTool("unknown", {})), shown(await callTool("model_only", {})));
    for (let count = 0; count < 2; count++) results.push(shown(await callTool("echo", { word: `${count}` })));
    return text("done");
  });
  const deep = parentTool(async (callTool) => callTool("deep", {}), { name: "deep" });
  const rig = dispatchRig([parent, deep, modelOnly, echo], { limits: { nestedCalls: 3, nestingDepth: 2 } });
  await rig.dispatcher.dispatch(call("parent"), rig.scope());
  assert.deepEqual(results, ["unknown_tool", "unavailable", "0", "blocked"]);
  const result = await rig.dispatcher.dispatch(call("deep", {}, "call_2"), rig.scope());
  assert.ok(!result.ok);
  assert.match(result.error.message, /at most 2 levels deep/u);
});

test("nested calls on the same path run one after another, others in parallel", async () => {
  let running = 0;
  const together: string[] = [];
  const write = leaf("write", async ({ path }) => {
    running += 1;
    await settle();
    together.push(`${path} ${running}`);
    running -= 1;
    return text("done");
  });
  const paths = (list: readonly string[]) =>
    parentTool(
      async (callTool) => {
        await Promise.all(list.map((path) => callTool("write", { path })));
        return text("done");
      },
      { name: list.join("_") },
    );
  const rig = dispatchRig([paths(["a", "a"]), paths(["b", "c"]), write]);
  await rig.dispatcher.dispatch(call("a_a"), rig.scope());
  await rig.dispatcher.dispatch(call("b_c", {}, "call_2"), rig.scope());
  assert.deepEqual(together, ["a 1", "a 1", "b 2", "c 1"]);
});

test("results of nested calls share a budget of characters, and longer results are written to files", async () => {
  const sizes: number[] = [];
  const long = leaf("long", async () => text("x".repeat(4000)));
  const parent = parentTool(async (callTool) => {
    for (let count = 0; count < 3; count++) {
      const result = await callTool("long", {});
      sizes.push(shown(result).length);
    }
    return text("done");
  });
  const rig = dispatchRig([parent, long], { limits: { nestedChars: 9000 } });
  await rig.dispatcher.dispatch(call("parent"), rig.scope());
  assert.deepEqual(
    sizes.map((size) => size === 4000),
    [true, true, false],
  );
  assert.equal(rig.spilled.size, 1);
});

test("events and hooks of nested calls contain the parent id, and untrusted text that they read taints the turn", async () => {
  const page = defineTool({
    name: "page",
    toolset: "test",
    description: "Reads a page.",
    input: z.object({}),
    traits: { callers: "both", untrusted: true },
    effects: () => [{ kind: "network", url: "https://example.com/" }],
    run: async (_, { progress }) => {
      progress("reading");
      return text("a page");
    },
  });
  const tainted: number[] = [];
  const rig = dispatchRig(
    [
      parentTool(async (callTool) => {
        await callTool("page", {});
        return callTool("page", {});
      }),
      page,
    ],
    {
      policy: {
        async decide(request) {
          tainted.push(request.tainted.length);
          return { decision: "allow" };
        },
      },
    },
  );
  const parents: (string | undefined)[] = [];
  rig.hooks.add("test", {
    beforeToolCall: ({ parentCallId }) => void parents.push(parentCallId),
    afterToolCall: ({ parentCallId }) => void parents.push(parentCallId),
  });
  const taint = createTurnTaint();
  await rig.dispatcher.dispatch(call("parent"), rig.scope({ taint }));
  const nested = rig.events.filter((event) => "parentCallId" in event && event.parentCallId === "call_1");
  const types = ["tool.started", "tool.progressed", "tool.finished"];
  assert.deepEqual(
    nested.map(({ type }) => type),
    [...types, ...types],
  );
  assert.deepEqual(parents, [undefined, "call_1", "call_1", "call_1", "call_1", undefined]);
  assert.deepEqual(tainted, [0, 0, 1]);
  assert.deepEqual(taint.sources(), [{ kind: "web", name: "https://example.com/" }]);
});

/** A ledger whose writes complete only when the test allows it. */
function slowLedger() {
  const written: string[] = [];
  const disk = Promise.withResolvers<void>();
  return {
    written,
    disk,
    ledger: {
      planned: ({ tool }: LedgerCall) => void written.push(`planned ${tool}`),
      dispatched() {},
      settled: (callId: string) => void written.push(`settled ${callId}`),
      refused: ({ tool }: RefusedCall) => void written.push(`refused ${tool}`),
      ended: ({ tool, parentCallId }: LedgerCall) => void written.push(`ended ${tool} of ${parentCallId}`),
      flush: () => {
        written.push("flush");
        return disk.promise;
      },
    },
  };
}

const look = defineTool({
  name: "look",
  toolset: "test",
  description: "Reads.",
  input: z.object({ path: z.string() }),
  traits: { readOnly: true, callers: "both", parallel: true },
  effects: ({ path }) => [{ kind: "read", path }],
  run: async ({ path }) => text(path),
});

test("a read-only nested call does not wait for the disk, and its parent returns after all records are written", async () => {
  const { written, disk, ledger } = slowLedger();
  const returned: string[] = [];
  const parent = parentTool(async (callTool) => {
    await callTool("look", { path: "/a" });
    await callTool("nothing", {});
    await callTool("echo", { path: "/b", word: "written" });
    returned.push("all");
    return text("done");
  });
  const requests: PolicyRequest[] = [];
  const rig = dispatchRig([parent, look, echo], {
    ledger,
    policy: {
      async decide(request) {
        requests.push(request);
        return { decision: "allow" };
      },
    },
  });
  const work = rig.dispatcher.dispatch(call("parent"), rig.scope());
  let isOver = false;
  void work.then(() => (isOver = true));
  await settle();
  assert.deepEqual(returned, ["all"]);
  assert.equal(isOver, false);
  assert.deepEqual(
    written.map((line) => line.replace(/call_(?!1$)\S+/u, "nested")),
    [
      "planned parent",
      "ended look of call_1",
      "refused nothing",
      "planned echo",
      "settled nested",
      "settled call_1",
      "flush",
    ],
  );
  assert.deepEqual(
    requests.map(({ tool, isRecordedLate }) => [tool, isRecordedLate]),
    [
      ["parent", undefined],
      ["look", true],
      ["echo", undefined],
    ],
  );
  disk.resolve();
  assert.ok((await work).ok);
});

test("the records of nested calls are written before a parent that failed or was aborted returns", async () => {
  for (const how of ["fails", "throws", "aborted"] as const) {
    const { written, disk, ledger } = slowLedger();
    disk.resolve();
    const stop = new AbortController();
    const parent = parentTool(async (callTool) => {
      await callTool("look", { path: "/a" });
      if (how === "throws") throw new Error("broken");
      if (how === "aborted") stop.abort();
      return fail("no");
    });
    const rig = dispatchRig([parent, look], { ledger });
    const result = await rig.dispatcher.dispatch(call("parent"), rig.scope({ signal: stop.signal }));
    assert.equal(result.ok, false);
    assert.deepEqual(written, ["planned parent", "ended look of call_1", "settled call_1", "flush"], how);
  }
});

test("a notice reports records that could not be written, and records of client calls are written soon", async () => {
  const clock = fakeClock();
  const { written, disk, ledger } = slowLedger();
  const rig = dispatchRig([look], { ledger, clock });
  const result = await rig.dispatcher.dispatch(call("look", { path: "/a" }), rig.scope({ origin: "client" }));
  assert.ok(result.ok);
  assert.deepEqual(written, ["ended look of undefined"]);
  clock.advance(100);
  disk.reject(new Error("disk full"));
  await settle();
  assert.deepEqual(written, ["ended look of undefined", "flush"]);
  assert.ok(rig.events.some((event) => event.type === "notice" && event.text.includes("disk full")));
});

test("a nested call sees the user's prompt of the turn", async () => {
  const seen: (string | undefined)[] = [];
  const watcher = defineTool({
    name: "watcher",
    toolset: "test",
    description: "Sees its call.",
    input: z.object({}),
    traits: { readOnly: true, callers: "both" },
    run: async (_, { userTask }) => {
      seen.push(userTask);
      return text("");
    },
  });
  const rig = dispatchRig([parentTool((callTool) => callTool("watcher", {})), watcher]);
  await rig.dispatcher.dispatch(call("parent"), { ...rig.scope(), userTask: "find the cheapest flight" });
  assert.deepEqual(seen, ["find the cheapest flight"]);
});
