// covers: src, docs, skills
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { references } from "../scripts/references.ts";

test("the generated references match the code", async () => {
  for (const [file, text] of Object.entries(await references())) {
    const written = await readFile(join(import.meta.dirname, "..", file), "utf8").catch(() => "");
    assert.equal(written, text, `${file} is stale: run npm run docs`);
  }
});
