import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as tick } from "node:timers/promises";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { ServedContent } from "../../contracts/mcp/served.ts";
import { createContentNews } from "./content-news.ts";

function content(prompts: readonly string[], resources: readonly string[] = []): readonly ServedContent[] {
  return [
    { name: "a", prompts: prompts.map((name) => ({ name, description: "", arguments: [], get: async () => [] })) },
    { name: "b", resources: resources.map((uri) => ({ uri, name: uri, read: async () => ({ text: "" }) })) },
  ];
}

function rig() {
  const clock = fakeClock();
  const state = { content: content([]) as readonly ServedContent[] | undefined, hasListener: true, reads: 0 };
  const announced: string[] = [];
  const news = createContentNews({
    async read() {
      state.reads += 1;
      return state.content ?? Promise.reject(new Error("gone"));
    },
    announce: {
      tools: () => void announced.push("tools"),
      prompts: () => void announced.push("prompts"),
      resources: () => void announced.push("resources"),
      hasListener: () => state.hasListener,
    },
    clock,
  });
  const poll = async () => {
    clock.advance(10_000);
    await tick();
  };
  return { state, announced, news, poll };
}

test("each list is announced once when it differs from what the client listed", async () => {
  const { state, announced, news, poll } = rig();
  using _news = news;
  news.listed("prompts", content(["x"], ["u:1"]));
  news.listed("resources", content(["x"], ["u:1"]));
  state.content = content(["x", "y"], ["u:1"]);
  await poll();
  await poll();
  assert.deepEqual(announced, ["prompts"]);
  state.content = content(["x", "y"], []);
  await poll();
  assert.deepEqual(announced, ["prompts", "resources"], "a resource that disappears is a change too");
});

test("nothing is read before the first list, without a listener and after the end", async () => {
  const { state, announced, news, poll } = rig();
  await poll();
  assert.equal(state.reads, 0);
  state.hasListener = false;
  news.listed("prompts", content(["x"]));
  await poll();
  assert.equal(state.reads, 0);
  state.hasListener = true;
  await poll();
  assert.deepEqual(announced, ["prompts"], "the change is announced to a listener that comes later");
  news[Symbol.dispose]();
  state.content = content(["z"]);
  const { reads } = state;
  await poll();
  assert.deepEqual([state.reads, announced], [reads, ["prompts"]]);
});

test("a list that was never requested, and content that cannot be read, are not announced", async () => {
  const { state, announced, news, poll } = rig();
  using _news = news;
  news.listed("prompts", content([]));
  state.content = undefined;
  await poll();
  state.content = content([], ["u:1"]);
  await poll();
  assert.deepEqual(announced, []);
});
