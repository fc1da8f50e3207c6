// covers: src/config, src/bin
import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { configJsonSchema } from "../../src/config/json-schema.ts";
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

/** The texts of all modules that a run of the bundle loads: V8 counts them for its coverage. */
async function loadedBy(args: readonly string[], home: string): Promise<readonly string[]> {
  await using coverage = await tempHome();
  const env = { HERMES_HOME: home, NODE_V8_COVERAGE: coverage.path };
  const ran = await runProgram(process.execPath, [bundle, ...args], { env });
  assert.equal(ran.code, 0, ran.stderr);
  const reports = await Promise.all(
    (await readdir(coverage.path)).map((name) => readFile(join(coverage.path, name), "utf8")),
  );
  const urls = reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result);
  const files = urls.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  return Promise.all(files.map((url) => readFile(fileURLToPath(url), "utf8")));
}
