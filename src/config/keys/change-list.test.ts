import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { parse } from "yaml";

import { assertFails } from "../../../test/support/failure.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { addToList, removeFromList } from "./change-list.ts";

const context = { signal: new AbortController().signal, clock: systemClock };
const path = ["approvals", "allow"];

async function house(text?: string) {
  const folder = await tempHome();
  const home = { path: folder.path, root: folder.path, profile: "default" };
  const file = join(folder.path, "config.yaml");
  if (text !== undefined) await writeFile(file, text);
  return {
    home,
    text: () => readFile(file, "utf8"),
    list: async () =>
      (parse(await readFile(file, "utf8")) as { approvals?: { allow?: unknown } } | null)?.approvals?.allow,
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("an entry is added once, and comments stay", async () => {
  await using at1 = await house("# mine\napprovals:\n  allow: # said yes to\n    - git push # every day\n");
  assert.deepEqual((await addToList(at1.home, path, ["rm -rf build", "git push", "rm -rf build"], context)).ok, true);
  assert.deepEqual(await at1.list(), ["git push", "rm -rf build"]);
  assert.match(await at1.text(), /^# mine\n[^]*# said yes to\n[^]*# every day\n/u);
});

test("a missing list is created, and its entries are read back unchanged", async () => {
  await using at1 = await house();
  const odd = ["a: b # in=/x y", "'*'", "python -c 'a\nb'", "- x", "{}", "yes"];
  assert.ok((await addToList(at1.home, path, odd, context)).ok);
  assert.deepEqual(await at1.list(), odd);
  assert.ok((await addToList(at1.home, path, ["one more"], context)).ok);
  assert.deepEqual(await at1.list(), [...odd, "one more"]);
});

test("entries are removed and the others stay", async () => {
  await using at1 = await house("approvals:\n  allow:\n    - a # first\n    - b\n    - c # last\n");
  const removed = await removeFromList(at1.home, path, ["b", "nope"], context);
  assert.ok(removed.ok);
  assert.deepEqual(removed.value.changed, ["b"]);
  assert.match(await at1.text(), /- a # first\n[^]*- c # last\n/u);
  assert.ok((await removeFromList(at1.home, path, ["a", "c"], context)).ok);
  assert.equal((await at1.list()) ?? "none", "none");
});

test("when several writers change a list at the same time, no change is lost", async () => {
  await using at1 = await house("approvals: {allow: [x]}\n");
  const names = Array.from({ length: 12 }, (_, index) => `cmd ${index}`);
  await Promise.all(names.map((name) => addToList(at1.home, path, [name], context)));
  assert.deepEqual(new Set((await at1.list()) as string[]), new Set(["x", ...names]));
});

test("a value that is not a list of strings is not changed", async () => {
  await using at1 = await house("approvals:\n  allow: {a: 1}\n");
  assertFails(await addToList(at1.home, path, ["b"], context), /is not a list of texts/u);
  assert.equal(await at1.text(), "approvals:\n  allow: {a: 1}\n");
});
