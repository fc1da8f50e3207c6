import assert from "node:assert/strict";
import { test } from "node:test";

import { createNamedList } from "./named-list.ts";

test("a later value of the same name replaces the earlier one until it is disposed", () => {
  const list = createNamedList([
    { name: "a", number: 1 },
    { name: "b", number: 2 },
  ]);
  const later = list.add({ name: "a", number: 3 });
  assert.deepEqual([list.find("a")?.number, list.list().map(({ number }) => number)], [3, [2, 3]]);
  later[Symbol.dispose]();
  later[Symbol.dispose]();
  assert.deepEqual([list.find("a")?.number, list.list().map(({ number }) => number)], [1, [1, 2]]);
  assert.equal(list.find("c"), undefined);
});
