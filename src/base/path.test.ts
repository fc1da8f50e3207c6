import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { expandHome, isInside, overlaps } from "./path.ts";

test("only a leading ~ stands for the home", () => {
  const home = "/home/ann";
  const shown = ["~", "~/a/b", "~bob/a", "/a/~", "a~", "", "~//a"].map((path) => expandHome(path, home));
  assert.deepEqual(shown, ["/home/ann", "/home/ann/a/b", "~bob/a", "/a/~", "a~", "", "/home/ann/a"]);
});

test("inside is decided by whole segments after .. is taken out", () => {
  const inside: [parent: string, child: string, yes: boolean][] = [
    ["/a/b", "/a/b", true],
    ["/a/b", "/a/b/", true],
    ["/a/b/", "/a/b/c", true],
    ["/a/b", "/a/bc", false],
    ["/a/b", "/a/b/../c", false],
    ["/a/b", "/a//b/./c", true],
    ["/", "/anything", true],
    ["/a/b", "/a", false],
    ["/a", "/../../a/x", true],
    ["/a", "a", false],
    ["/a", "/A", false],
  ];
  for (const [parent, child, yes] of inside) assert.equal(isInside(parent, child), yes, `${parent} ${child}`);
});

test("two paths overlap when one contains the other, in either order", () => {
  assert.deepEqual([overlaps("/a", "/a/b"), overlaps("/a/b", "/a"), overlaps("/a/b", "/a/c")], [true, true, false]);
  const paths = fc.array(fc.constantFrom("a", "b", "..", "."), { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);
  fc.assert(fc.property(paths, paths, (a, b) => assert.equal(overlaps(a, b), overlaps(b, a))));
  fc.assert(fc.property(paths, paths, (a, b) => assert.ok(!isInside(a, b) || overlaps(a, b))));
});
