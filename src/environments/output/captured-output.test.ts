import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import fc from "fast-check";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { captureOutput } from "./captured-output.ts";
import { createRing } from "./ring.ts";
import { createSpillFolder } from "./spill-folder.ts";

const limits = { headBytes: 5, tailBytes: 7, spill: { headBytes: 30, tailBytes: 11 } };

test("a ring buffer keeps the last bytes for any chunk size", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 })), fc.integer({ min: 1, max: 9 }), (chunks, size) => {
      const ring = createRing(size);
      for (const chunk of chunks) ring.add(chunk);
      assert.deepEqual([...ring.bytes()], [...Buffer.concat(chunks).subarray(-size)]);
    }),
  );
});

test("the start and the end of the output in memory never overlap, and the file holds the whole output", async () => {
  await using home = await tempHome();
  const folder = createSpillFolder(join(home.path, "spill"), { maxTotalBytes: 1e9, maxAgeMs: 1e9 }, systemClock);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 }), async (chunks) => {
      const captured = captureOutput(folder, limits, () => {});
      for (const chunk of chunks) captured.add(chunk);
      const all = Buffer.concat(chunks);
      const { head, tail, totalBytes, spillPath, spillFault } = await captured.end();
      assert.equal(spillFault, undefined);
      assert.equal(totalBytes, all.length);
      assert.ok(all.subarray(0, 5).equals(head));
      assert.ok(all.subarray(Math.max(5, all.length - 7)).equals(tail));
      assert.equal(spillPath === undefined, all.length <= 12);
      if (spillPath === undefined) return;
      const left = all.length - 41;
      const note = Buffer.from(`\n[… ${left} bytes left out …]\n`);
      const expected = left > 0 ? Buffer.concat([all.subarray(0, 30), note, all.subarray(-11)]) : all;
      assert.ok(expected.equals(await readFile(spillPath)));
    }),
    { numRuns: 60 },
  );
});
