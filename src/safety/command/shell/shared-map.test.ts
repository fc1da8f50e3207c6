import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { SharedMap } from "./shared-map.ts";

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("set" as const),
      map: fc.nat(5),
      key: fc.constantFrom("a", "b", "c"),
      value: fc.nat(3),
    }),
    fc.record({ do: fc.constant("delete" as const), map: fc.nat(5), key: fc.constantFrom("a", "b", "c") }),
    fc.record({ do: fc.constant("copy" as const), map: fc.nat(5) }),
  ),
  { maxLength: 40 },
);

test("copies of a map behave like independent maps after any changes", () => {
  fc.assert(
    fc.property(steps, (list) => {
      const copies = [{ shared: new SharedMap<number>([["a", 1]]), own: new Map([["a", 1]]) }];
      for (const step of list) {
        const copy = copies[step.map % copies.length];
        if (!copy) continue;
        if (step.do === "copy") copies.push({ shared: copy.shared.copy(), own: new Map(copy.own) });
        else if (step.do === "set") {
          copy.shared.set(step.key, step.value);
          copy.own.set(step.key, step.value);
        } else {
          copy.shared.delete(step.key);
          copy.own.delete(step.key);
        }
      }
      const changed = new Set(SharedMap.changedIn(copies.map(({ shared }) => shared)));
      for (const { shared, own } of copies) assert.deepEqual(new Map(shared.entries()), own);
      for (const key of ["a", "b", "c"]) {
        const values = new Set(copies.map(({ own }) => own.get(key)));
        if (values.size > 1) assert.ok(changed.has(key), `${key} is not reported as changed`);
      }
    }),
  );
});

test("a copy shares its data until either map changes, and setting the same value does not count as a change", () => {
  const first = new SharedMap<number>([["a", 1]]);
  const second = first.copy();
  first.set("a", 1);
  assert.ok(first.isCopyOf(second));
  second.set("a", 2);
  assert.ok(!first.isCopyOf(second));
  assert.deepEqual([first.get("a"), second.get("a")], [1, 2]);
});
