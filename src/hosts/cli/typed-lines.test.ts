import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { openTypedLines } from "./typed-lines.ts";

test("lines are read newest first; only the owner can read the file; damaged lines are skipped", async () => {
  await using home = await tempHome();
  const path = join(home.path, "new", "typed-lines");
  const first = await openTypedLines(path);
  first.add("one");
  first.add('two "quoted"\nlines');
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  await writeFile(path, `${await readFile(path, "utf8")}"cut off\n17\n`);
  assert.deepEqual((await openTypedLines(path)).lines, ['two "quoted"\nlines', "one"]);
});

test("the history file has a maximum size", async () => {
  await using home = await tempHome();
  const path = join(home.path, "typed-lines");
  await writeFile(path, Array.from({ length: 5_000 }, (_, index) => `"line ${index}"\n`).join(""));
  const { lines } = await openTypedLines(path);
  assert.equal(lines[0], "line 4999");
  assert.equal((await readFile(path, "utf8")).split("\n").length - 1, lines.length);
});

test("a folder that is not writable does not cause an error", async () => {
  const lines = await openTypedLines("/proc/nothing/typed-lines");
  lines.add("lost");
  assert.deepEqual(lines.lines, []);
});
