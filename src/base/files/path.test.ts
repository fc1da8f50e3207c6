import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertFails } from "../../../test/support/failure.ts";
import { expandHome, isInside, resolveUserPath, overlaps } from "./path.ts";

test("only a leading ~ expands to the home folder", () => {
  const home = "/home/ann";
  const shown = ["~", "~/a/b", "~bob/a", "/a/~", "a~", "", "~//a"].map((path) => expandHome(path, home));
  assert.deepEqual(shown, ["/home/ann", "/home/ann/a/b", "~bob/a", "/a/~", "a~", "", "/home/ann/a"]);
});

test("path containment compares whole segments after resolving ..", () => {
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

test("a resolved path is absolute and without .., and Windows paths count as plain names", () => {
  const base = { cwd: "/project", home: "/home/ann" };
  const rows: readonly (readonly [string, string])[] = [
    ["a/../b", "/project/b"],
    ["../../../x", "/x"],
    ["/x//y/./z/", "/x/y/z"],
    ["~", "/home/ann"],
    ["~/../bob", "/home/bob"],
    ["./~b", "/project/~b"],
    ["a~/~", "/project/a~/~"],
    ["C:\\Users\\x", "/project/C:\\Users\\x"],
    ["\\\\host\\share", "/project/\\\\host\\share"],
    ["trailing. ", "/project/trailing. "],
    ["…/é", "/project/…/é"],
  ];
  for (const [path, expected] of rows)
    assert.deepEqual(resolveUserPath(path, base), { ok: true, value: expected }, path);
});

test("an impossible or unlikely path is refused with a short reason", () => {
  for (const [path, reason] of [
    ["", /The path is empty/u],
    ["  ", /The path is empty/u],
    ["a\0b", /cannot contain NUL/u],
    ["\ud800", /half a surrogate pair/u],
    ["a\nb", /control character/u],
    ["a\u007f", /control character/u],
    ["\tx", /control character/u],
    ["~root/x", /"~" with a name is not supported/u],
    ["~+", /"~" with a name is not supported/u],
    ["x".repeat(256), /longer than 255 bytes/u],
    ["é".repeat(128), /longer than 255 bytes/u],
    ["a/".repeat(3000), /longer than 4095 bytes/u],
  ] as const) {
    const refused = resolveUserPath(path, { cwd: "/project", home: "/home/ann" });
    assertFails(refused, reason);
    assert.ok(!refused.ok && refused.error.length < 250, JSON.stringify(path));
  }
  assertFails(resolveUserPath("~/a", { cwd: "/" }), /does not know the home folder/u);
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("a", "..", ".", "/", "~", "\0", "é", "\n", " ", "C:", "\\", "\ud800")),
      (parts) => {
        const path = parts.join("");
        const resolved = resolveUserPath(path, { cwd: "/project", home: "/home/ann" });
        if (!resolved.ok) return;
        assert.ok(resolved.value.startsWith("/") && !resolved.value.split("/").includes(".."));
        assert.deepEqual(resolveUserPath(resolved.value, { cwd: "/elsewhere" }), resolved);
      },
    ),
  );
});
