import assert from "node:assert/strict";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { patchOf } from "../../../../../test/support/patch-case.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

test("`check patches` answers each line, and its exit code is 1 only if a line cannot be parsed", async () => {
  await using home = await tempHome();
  const line = (id: string, text: string) =>
    JSON.stringify({ id, files_before: { f: text }, patch: patchOf("*** Update File: f", "@@", "-a", "+b") });
  const fine = await hermes(["check", "patches"], {
    home: home.path,
    input: `${line("x", "a\n")}\n\n${line("y", "c\n")}\n`,
  });
  const [applied, refused] = fine.out
    .trim()
    .split("\n")
    .map((each) => JSON.parse(each));
  assert.deepEqual(applied, { id: "x", ok: true, files: { f: "b\n" } });
  assert.deepEqual({ ...refused, error: "" }, { id: "y", ok: false, files: { f: "c\n" }, error: "" });
  assert.match(refused.error, /^line 3: f: /);
  assert.equal(fine.code, 0);
  const bad = await hermes(["check", "patches"], { home: home.path, input: "no JSON\n" });
  assert.equal(bad.code, 1);
  assert.equal(JSON.parse(bad.out).ok, false);
});
