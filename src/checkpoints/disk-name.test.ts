import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";

import fc from "fast-check";

import { checkpointRig } from "../../test/support/checkpoint-rig.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { planLines } from "../contracts/knowledge/checkpoint-text.ts";
import { nameFromBytes, diskPath } from "./disk-name.ts";

const never = new AbortController().signal;
const all = { session: undefined };

test("any bytes of a file name survive the conversion to text, and plain text stays unchanged", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (given) => {
      const bytes = Buffer.from(given.filter((byte) => byte !== 0));
      assert.deepEqual(Buffer.from(diskPath(nameFromBytes(bytes))), bytes);
    }),
  );
  assert.equal(nameFromBytes(Buffer.from("ü ✓ 🙂 \ufeff\ufffd")), "ü ✓ 🙂 \ufeff\ufffd");
});

test("names of folders, files and link targets that are not UTF-8 survive", async () => {
  await using home = await tempHome();
  await using rig = await checkpointRig(home.path);
  const pathTo = (...names: readonly (string | Buffer)[]) =>
    Buffer.concat([Buffer.from(`${rig.root}/`), ...names.map((name) => Buffer.from(name))]);
  const latin = Buffer.from("caf\xe9", "latin1");
  const folder = Buffer.from([0x64, 0xff, 0xfe]);
  mkdirSync(pathTo(folder));
  writeFileSync(pathTo(latin), "one");
  writeFileSync(pathTo("fine \ufffd"), "two");
  writeFileSync(pathTo(folder, "/", latin), "three");
  symlinkSync(latin, pathTo("link"));
  const id = await rig.call(() => {
    for (const name of [latin, folder, Buffer.from("link"), Buffer.from("fine \ufffd")])
      rmSync(pathTo(name), { recursive: true });
    writeFileSync(pathTo("made ", latin), "new");
  });
  const plan = await rig.files.plan(id, all, never);
  assert.ok(plan.ok);
  assert.deepEqual(planLines(plan.value, 10), [
    String.raw`+ "caf\xe9" (3 B)`,
    String.raw`+ "d\xff\xfe" (folder)`,
    String.raw`+ "d\xff\xfe/caf\xe9" (5 B)`,
    "+ fine \ufffd (3 B)",
    "+ link (link)",
    String.raw`- "made caf\xe9" (3 B)`,
  ]);
  const done = await rig.files.restore(id, all, never);
  assert.ok(done.ok && done.value.left.length === 0, JSON.stringify(done));
  assert.equal(readFileSync(pathTo(folder, "/", latin), "utf8"), "three");
  assert.equal(readFileSync(pathTo("link"), "utf8"), "one");
  assert.ok(!existsSync(pathTo("made ", latin)));
});
