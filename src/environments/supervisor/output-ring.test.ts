import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { openOutputRing, readOutput } from "./output-ring.ts";

test("output is read by offset, even after the file is reopened", async () => {
  await using home = await tempHome();
  const path = join(home.path, "output");
  const first = openOutputRing(path, 1_000);
  first.add(Buffer.from("one"));
  first.close();
  const second = openOutputRing(path, 1_000);
  second.add(Buffer.from("two"));
  assert.deepEqual(shown(path, 0), { text: "onetwo", next: 6, total: 6 });
  assert.deepEqual(shown(path, 4), { text: "wo", next: 6, total: 6 });
  assert.deepEqual(shown(path, 99), { text: "", next: 6, total: 6 });
  assert.deepEqual(shown(path, -1), { text: "onetwo", next: 6, total: 6 });
  assert.deepEqual(shown(path, Number.NaN), { text: "onetwo", next: 6, total: 6 });
  second.close();
});

test("if the output exceeds the limit, the latest part is kept, for any chunk size", async () => {
  await using home = await tempHome();
  const path = join(home.path, "output");
  const ring = openOutputRing(path, 70_000);
  let whole = "";
  for (let size = 1; size <= 65_536; size *= 2) {
    const piece = String.fromCharCode(65 + Math.log2(size)).repeat(size);
    whole += piece;
    ring.add(Buffer.from(piece));
  }
  ring.close();
  let text = "";
  for (let from = 0; ;) {
    const piece = shown(path, from);
    text += piece.text;
    if (piece.next === piece.total) break;
    from = piece.next;
  }
  assert.equal(text, whole.slice(-70_000));
});

test("a missing file or a file of another format is read as empty output", async () => {
  await using home = await tempHome();
  assert.deepEqual(shown(join(home.path, "none"), 5), { text: "", next: 0, total: 0 });
});

function shown(path: string, from: number) {
  const { bytes, next, total } = readOutput(path, from);
  return { text: Buffer.from(bytes).toString(), next, total };
}
