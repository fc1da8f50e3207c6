import assert from "node:assert/strict";
import { test } from "node:test";

import { globFilter, nameFilter } from "./file-filter.ts";

const paths = [
  "a.ts",
  "src/a.ts",
  "src/lib/b.ts",
  "src/lib/c.min.js",
  "config.yaml",
  "etc/my-config.json",
  ".env",
  "x/.github/w.yml",
];

function used(make: typeof globFilter, glob: string, ignoreCase = false): readonly string[] {
  const filter = make(glob, { ignoreCase });
  assert.ok(filter.ok, JSON.stringify(filter));
  return paths.filter(filter.value.takes);
}

test("a glob without a slash matches names, and one with a slash matches paths below the root", () => {
  assert.deepEqual(used(globFilter, "*.ts"), ["a.ts", "src/a.ts", "src/lib/b.ts"]);
  assert.deepEqual(used(globFilter, "src/*.ts"), ["src/a.ts"]);
  assert.deepEqual(used(globFilter, "./src/**/*.ts"), ["src/a.ts", "src/lib/b.ts"]);
  assert.deepEqual(used(globFilter, "/*.ts"), ["a.ts"]);
  assert.deepEqual(used(globFilter, "src/lib/"), ["src/lib/b.ts", "src/lib/c.min.js"]);
  assert.deepEqual(used(globFilter, "{a,b}.[tj]s"), ["a.ts", "src/a.ts", "src/lib/b.ts"]);
  assert.deepEqual(used(globFilter, "!*.{ts,js}"), ["config.yaml", "etc/my-config.json", ".env", "x/.github/w.yml"]);
});

test("a pattern without wildcards matches a part of a name, or its beginning after a slash", () => {
  assert.deepEqual(used(nameFilter, "config"), ["config.yaml", "etc/my-config.json"]);
  assert.deepEqual(used(nameFilter, "CONFIG", true), ["config.yaml", "etc/my-config.json"]);
  assert.deepEqual(used(nameFilter, "lib/b"), ["src/lib/b.ts"]);
  assert.deepEqual(used(nameFilter, "src/lib"), ["src/lib/b.ts", "src/lib/c.min.js"]);
  assert.deepEqual(used(nameFilter, ""), paths);
});

test("a pattern that starts with a dot also matches hidden files", () => {
  const hidden = (glob: string) => {
    const filter = nameFilter(glob, { ignoreCase: false });
    assert.ok(filter.ok);
    return filter.value.namesHidden;
  };
  assert.deepEqual([".env*", ".github/**", "**/.x", ".env"].map(hidden), [true, true, true, true]);
  assert.deepEqual(["*.ts", "./src/*.ts", "../a", "a.b"].map(hidden), [false, false, false, false]);
});

test("an invalid glob is rejected with the reason", () => {
  for (const glob of ["{a", "a}", "a\\", "[z-a]"]) {
    const filter = globFilter(glob, { ignoreCase: false });
    assert.ok(!filter.ok && filter.error.includes("is not a glob"), glob);
  }
});
