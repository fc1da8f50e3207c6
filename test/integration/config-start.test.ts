// covers: src/config, src/bin
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { configJsonSchema } from "../../src/config/json-schema.ts";
import { loadedModules } from "../support/loaded-modules.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

for (const [what, config] of [
  ["without a config.yaml", undefined],
  ["with a config.yaml", "logging: {level: debug}\napprovals: {deny: [rm *]}\n"],
] as const) {
  test(`a start ${what} loads no zod`, async () => {
    await using home = await tempHome();
    if (config !== undefined) await writeFile(join(home.path, "config.yaml"), config);
    const texts = await loadedBy(["config", "show"], home.path);
    assert.ok(texts.some((text) => text.includes("listing_max_tokens")));
    assert.ok(!texts.some((text) => text.includes("ZodType")));
  });
}

test("the bundle has the same settings as the slices", async () => {
  await using home = await tempHome();
  const ran = await runProgram(process.execPath, [bundle, "config", "schema"], { env: { HERMES_HOME: home.path } });
  assert.deepEqual(JSON.parse(ran.stdout), configJsonSchema());
});

/** The texts of all files that a run of the bundle loads. */
async function loadedBy(args: readonly string[], home: string): Promise<readonly string[]> {
  const files = (await loadedModules(args, home)).filter((url) => url.startsWith("file:"));
  return Promise.all(files.map((url) => readFile(fileURLToPath(url), "utf8")));
}
