import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { nearest } from "./nearest.ts";

const tools = [
  "read_file",
  "write_file",
  "search_files",
  "terminal",
  "process",
  "todo",
  "web_search",
  "patch",
  "vision_analyze",
];

test("typos match the intended name, best match first", () => {
  const cases: [word: string, first: string][] = [
    ["raed_file", "read_file"],
    ["readFile", "read_file"],
    ["READ-FILE", "read_file"],
    ["file_read", "read_file"],
    ["termnal", "terminal"],
    ["terminall", "terminal"],
    ["todos", "todo"],
    ["term", "terminal"],
    ["search", "search_files"],
    ["vision", "vision_analyze"],
    ["pacth", "patch"],
  ];
  for (const [word, first] of cases) assert.equal(nearest(word, tools)[0], first, word);
});

test("a single word matches a longer name that contains it", () => {
  assert.deepEqual(nearest("search", tools), ["search_files", "web_search"]);
});

test("a word that resembles no name has no match", () => {
  for (const word of ["", "x", "qwertyuiop", "__", "日本語", "zz"]) assert.deepEqual(nearest(word, tools), [], word);
  assert.deepEqual(nearest("read_file", []), []);
});

test("the number of matches is limited, without duplicates", () => {
  assert.deepEqual(nearest("aaaa", ["aaab", "aaac", "aaab", "aaad", "aaae"], 2), ["aaab", "aaac"]);
});

test("the order of the candidates does not change the nearest match", () => {
  const names = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "_"), maxLength: 5 }));
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 5 }), names, (word, candidates) => {
      assert.deepEqual(nearest(word, candidates), nearest(word, candidates.toReversed()));
    }),
  );
});

test("an exact name is always the first match", () => {
  fc.assert(
    fc.property(fc.constantFrom(...tools), (name) => assert.equal(nearest(name.toUpperCase(), tools)[0], name)),
  );
});

test("run time is proportional to the number of candidates and to the length of a hostile word", async () => {
  const candidates = (count: number) =>
    Array.from({ length: count }, (_, index) => `server_${index % 50}_tool_number_${index}`);
  await assertGrowsLinearly(5_000, (size) => nearest("server_1_tool_nubmer_51", candidates(size)));
  const many = candidates(1_000);
  await assertGrowsLinearly(1_000_000, (size) => nearest("x".repeat(size), many));
  await assertGrowsLinearly(1_000_000, (size) => nearest("_".repeat(size), ["_".repeat(size), "a".repeat(size)]));
});
