import assert from "node:assert/strict";
import { test } from "node:test";

import { z } from "zod";

import { assertFails } from "../../../test/support/failure.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import { headerOf, lazyTool } from "./lazy-tool.ts";

const real = defineTool({
  name: "real",
  toolset: "set",
  description: "Real.",
  input: z.object({ seconds: z.number().default(2) }),
  traits: { timeoutMs: ({ seconds }) => Number(seconds) * 1000 },
  run: async () => text("ran"),
});

test("a tool that is loaded on demand has the same header, and its code is loaded once, at the first call", async () => {
  let loads = 0;
  const lazy = lazyTool(headerOf(real), async () => {
    loads += 1;
    return real;
  });
  assert.deepEqual([lazy.name, lazy.description, lazy.inputSchema], [real.name, real.description, real.inputSchema]);
  assert.deepEqual([lazy.load, lazy.check, lazy.refine, loads], [undefined, undefined, undefined, 0]);
  const prepared = await Promise.all([lazy.prepare({}), lazy.prepare({ seconds: 5 })]);
  assert.deepEqual(
    prepared.map((each) => each.ok && each.value.timeoutMs),
    [2000, 5000],
  );
  assertFails(await lazy.prepare({ seconds: "x" }), /invalid_args.*seconds: /u);
  assert.equal(loads, 1);
  assert.ok(!(lazy.prepare({}) instanceof Promise));
});

test("a tool that is loaded on demand can be loaded for its check or its refine function", async () => {
  const refining = { ...real, refine: () => real };
  const checking = { ...real, check: () => true };
  for (const tool of [refining, checking]) {
    const lazy = lazyTool(headerOf(tool), async () => tool);
    assert.equal(await lazy.load?.(), tool);
  }
});

test("a module that cannot be loaded fails the call, and the next call tries again", async () => {
  let broken = true;
  const lazy = lazyTool(headerOf(real), async () => {
    if (broken) throw new Error("disk gone");
    return real;
  });
  const failed = await lazy.prepare({});
  assert.deepEqual(failed, {
    ok: false,
    error: { kind: "crashed", message: "real could not be loaded: disk gone", effect: "none" },
  });
  broken = false;
  assert.equal((await lazy.prepare({})).ok, true);
});

test("the time limit of a call can depend on its arguments, and an invalid limit falls back to the default", async () => {
  const limits = [() => Number.NaN, () => assert.fail("no"), () => -1];
  for (const timeoutMs of limits) {
    const tool = defineTool({ ...spec, traits: { timeoutMs } });
    const prepared = await tool.prepare({});
    assert.equal(prepared.ok && prepared.value.timeoutMs, undefined);
  }
  const endless = await defineTool({ ...spec, traits: { timeoutMs: Infinity } }).prepare({});
  assert.equal(endless.ok && endless.value.timeoutMs, Infinity);
});

const spec = { name: "x", toolset: "x", description: "", input: z.object({}), run: async () => text("") };
