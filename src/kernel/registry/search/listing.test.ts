import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import type { ToolCard } from "../../../contracts/tool/tool-index.ts";
import { listDeferred, sourcesOf } from "./listing.ts";

function card(name: string, sourceName: string, description = "Does a thing. And more."): ToolCard {
  return { name, description, source: "mcp", sourceName };
}

const cards = [card("b1", "b"), card("a2", "a"), card("a1", "a", ""), ...many("big", 10)];

function many(source: string, count: number): ToolCard[] {
  return Array.from({ length: count }, (_, index) => card(`${source}_${index}`, source));
}

test("every tool name gets a sentence as long as they fit", () => {
  assert.equal(
    listDeferred(cards.slice(0, 3), 100),
    "Deferred tools:\na:\n- a1\n- a2: Does a thing.\nb:\n- b1: Does a thing.",
  );
});

test("the listing becomes shorter step by step as its budget decreases", () => {
  const within = (maxTokens: number) => listDeferred(cards, maxTokens);
  assert.match(within(200), /- big_9: Does a thing\.$/);
  assert.equal(within(34), "Deferred tools:\na: a1, a2\nb: b1\nbig: big_{0,1,2,3,4,5,6,7,8,9}");
  assert.equal(within(14), "Deferred tools:\na: a1, a2\nb: b1\nbig (10 tools)");
  assert.equal(listDeferred([...many("x", 30), ...many("y", 30)], 13), "Deferred tools:\nx (30 tools), y (30 tools)");
  assert.equal(within(5), "");
  assert.equal(within(0), "");
});

test("the listing respects its budget and does not depend on the order of the tools", () => {
  const cardArbitrary = fc.record({
    name: fc.string({ minLength: 1, maxLength: 20 }),
    sourceName: fc.constantFrom("a", "b", "c", "d"),
    description: fc.string({ maxLength: 100 }),
    source: fc.constant("mcp" as const),
  });
  const unique = fc.uniqueArray(cardArbitrary, { selector: ({ name }) => name, maxLength: 30 });
  fc.assert(
    fc.property(unique, fc.nat(300), (all, maxTokens) => {
      const listing = listDeferred(all, maxTokens);
      assert.ok(listing.length <= maxTokens * 4);
      assert.equal(listDeferred(all.toReversed(), maxTokens), listing);
    }),
  );
});

test("the number of tools is counted per source", () => {
  assert.deepEqual(sourcesOf(cards), [
    { name: "a", tools: 2 },
    { name: "b", tools: 1 },
    { name: "big", tools: 10 },
  ]);
});
