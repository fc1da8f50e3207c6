import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { call, dispatchRig } from "../../test/support/dispatch-rig.ts";
import { scriptedModel } from "../../test/support/scripted-model.ts";
import { echo, turnRig } from "../../test/support/turn-rig.ts";
import type { Middleware } from "../contracts/host/middleware.ts";
import { defineTool } from "../contracts/tool/define-tool.ts";
import { text, type ToolResult } from "../contracts/tool/tool-result.ts";

const add = defineTool({
  name: "add",
  toolset: "test",
  description: "Adds",
  input: z.object({ a: z.number() }),
  traits: { readOnly: true, parallel: true },
  run: async ({ a }) => text(`sum ${a}`),
});

const words = (result: ToolResult) =>
  result.ok
    ? result.value.content.map((part) => (part.type === "text" ? part.text : "")).join("")
    : result.error.message;

async function run(...middleware: readonly Middleware[]) {
  const rig = dispatchRig([add]);
  for (const [index, one] of middleware.entries()) rig.hooks.use(`m${index}`, one);
  return { ...rig, result: words(await rig.dispatcher.dispatch(call("add", { a: 1 }), rig.scope())) };
}

test("request middleware changes arguments one after another, and hooks get the last valid arguments and the middleware that changed them", async () => {
  const rig = dispatchRig([add]);
  const seen: unknown[] = [];
  rig.hooks.use("first", { toolRequest: ({ args }) => ({ args: { a: Number(args["a"]) + 10 }, reason: "more" }) });
  rig.hooks.use("odd", { toolRequest: () => ({ args: "no" }) as never });
  rig.hooks.use("second", { toolRequest: async ({ args }) => ({ args: { a: Number(args["a"]) * 2 }, source: "s" }) });
  rig.hooks.use("broken", {
    toolRequest() {
      throw new Error("broken");
    },
  });
  rig.hooks.add("hook", { beforeToolCall: ({ args, trace }) => void seen.push(args, trace) });
  rig.hooks.add("after", { afterToolCall: ({ trace }) => void seen.push(trace.length) });
  assert.equal(words(await rig.dispatcher.dispatch(call("add", { a: 1 }), rig.scope())), "sum 22");
  assert.deepEqual(seen, [
    { a: 22 },
    [
      { name: "first", reason: "more" },
      { name: "second", source: "s" },
    ],
    2,
  ]);
  const logged = rig.logged.filter(({ event }) => event === "middleware.failed");
  assert.deepEqual(
    logged.map(({ fields }) => fields.owner),
    ["odd", "broken"],
  );
});

test("a call whose arguments middleware made invalid is refused", async () => {
  const { result } = await run({ toolRequest: () => ({ args: { a: "x" } }) });
  assert.match(result, /a hook or middleware changed the arguments/);
});

test("execution middleware wraps the call, the first one outermost, and may replace the result", async () => {
  const order: string[] = [];
  const { result, written } = await run(
    {
      async toolExecution(_call, next) {
        order.push("outer");
        const inner = await next();
        return text(`<${words(inner)}> s3cret`);
      },
    },
    {
      async toolExecution({ args }, next) {
        order.push(`inner ${JSON.stringify(args["a"])}`);
        return next();
      },
    },
  );
  assert.equal(result, "<sum 1> ***");
  assert.deepEqual(order, ["outer", "inner 1"]);
  assert.deepEqual(written, ["planned call_1", "dispatched call_1", "settled call_1 ok", "settled call_1 ok"]);
});

test("next runs once: a second call is an error, and the first result is kept", async () => {
  let runs = 0;
  const { result, written } = await run({
    async toolExecution(_call, next) {
      runs += 1;
      await next();
      return next();
    },
  });
  assert.equal(result, "sum 1");
  assert.equal(runs, 1);
  assert.equal(written.filter((line) => line.startsWith("dispatched")).length, 1);
});

test("a middleware that fails before next is skipped, and one that fails after next does not affect the result", async () => {
  const early: Middleware = {
    async toolExecution() {
      throw new Error("early");
    },
  };
  const late: Middleware = {
    async toolExecution(_call, next) {
      await next();
      throw new Error("late");
    },
  };
  const { result, logged } = await run(early, late);
  assert.equal(result, "sum 1");
  assert.deepEqual(
    logged.filter(({ event }) => event === "middleware.failed").map(({ fields }) => fields.error),
    ["late", "early"].toSorted(),
  );
});

test("arguments that execution middleware changes are validated, passed to hooks and checked by the policy again", async () => {
  const judged: unknown[] = [];
  const policy = {
    decide: async ({ args }: { readonly args: unknown }) => {
      judged.push(args);
      return JSON.stringify(args) === '{"a":3}'
        ? ({ decision: "deny", reason: "three is forbidden" } as const)
        : ({ decision: "allow" } as const);
    },
  };
  const results: string[] = [];
  for (const a of [2, 3, "x"]) {
    const rig = dispatchRig([add], { policy });
    rig.hooks.use("m", { toolExecution: (_call, next) => next({ a }) });
    results.push(words(await rig.dispatcher.dispatch(call("add", { a: 1 }), rig.scope())));
  }
  assert.deepEqual(results.slice(0, 2), ["sum 2", "three is forbidden"]);
  assert.match(results[2] ?? "", /Invalid arguments/);
  assert.deepEqual(judged, [{ a: 1 }, { a: 2 }, { a: 1 }, { a: 3 }, { a: 1 }]);
});

test("a middleware that returns a result without calling next prevents the call", async () => {
  const { result, written } = await run({ toolExecution: async () => text("from the cache") });
  assert.equal(result, "from the cache");
  assert.deepEqual(written, ["settled call_1 ok"]);
});

test("model middleware can change the request and the answer, and a failed request stays failed", async () => {
  const model = scriptedModel([{ text: "Hello." }, { error: { kind: "invalid_request", message: "no" } }]);
  const rig = turnRig({ model, tools: [echo] });
  rig.rig.hooks.use("m", {
    modelRequest: ({ request }) => ({
      request: {
        ...request,
        messages: [...request.messages, { role: "user", content: [{ type: "text", text: "more" }] }],
      },
    }),
    async modelExecution({ request }, next) {
      const answer = await next();
      const content = [{ type: "text" as const, text: `${request.messages.length} messages` }];
      return { ...answer, message: { ...answer.message, content } };
    },
  });
  const { outcome } = await rig.ask("hi");
  assert.equal(outcome.text, "2 messages");
  assert.equal(model.requests[0]?.messages.length, 2);
  const failed = await rig.ask("again");
  assert.equal(failed.outcome.reason, "failed");
});
