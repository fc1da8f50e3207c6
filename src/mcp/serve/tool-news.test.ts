import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { ServedTool } from "./tool-listing.ts";
import { createToolNews } from "./tool-news.ts";

function tool(name: string): ServedTool {
  return { name, description: "Adds", inputSchema: { type: "object" }, annotations: {} };
}

function rig() {
  const clock = fakeClock();
  const state = { tools: [tool("add")] as readonly ServedTool[] | undefined, announced: 0 };
  const news = createToolNews({
    read: async () => state.tools ?? Promise.reject(new Error("gone")),
    announce: () => void (state.announced += 1),
    clock,
  });
  const settle = async () => {
    clock.advance(1_000);
    await tick();
  };
  return { state, news, settle };
}

test("a client is notified once that the tools differ from those that it listed", async () => {
  const { state, news, settle } = rig();
  news.listed([tool("add")]);
  state.tools = [tool("add"), tool("subtract")];
  news.changed();
  news.changed();
  await settle();
  assert.equal(state.announced, 1);
  news.changed();
  await settle();
  assert.equal(state.announced, 1, "nothing changed since");
  state.tools = [tool("add")];
  news.changed();
  await settle();
  assert.equal(state.announced, 2, "a tool that disappears is a change too");
});

test("a change that results in the same tool list is not announced", async () => {
  const { news, state, settle } = rig();
  news.listed([tool("add")]);
  news.changed();
  await settle();
  assert.equal(state.announced, 0);
});

test("a client that never listed tools gets no notification, and neither does a disconnected client", async () => {
  const { news, state, settle } = rig();
  state.tools = [tool("subtract")];
  news.changed();
  await settle();
  news.listed([tool("add")]);
  news.changed();
  news[Symbol.dispose]();
  news.changed();
  await settle();
  assert.equal(state.announced, 0);
});

test("a tool list that cannot be read is not announced", async () => {
  const { news, state, settle } = rig();
  news.listed([tool("add")]);
  state.tools = undefined;
  news.changed();
  await settle();
  assert.equal(state.announced, 0);
});
