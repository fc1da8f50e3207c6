import assert from "node:assert/strict";
import { test } from "node:test";

import { machineName } from "./machine-name.ts";

test("a plain task id is the name of its machine", () => {
  assert.equal(machineName("default"), "hermes-default");
});

test("every task has a unique name that services accept", () => {
  const tasks = ["", "A", "a", "a b", "a-b", "a_b", "ä/ö", "..", "x".repeat(200), `${"x".repeat(199)}y`, "-a", "\0\n"];
  const names = tasks.map(machineName);
  assert.equal(new Set(names).size, tasks.length);
  for (const name of names) assert.match(name, /^hermes-[a-z0-9-]{1,33}$/u);
});
