import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "./run-program.ts";
import { tempHome } from "./temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

/** The addresses of all modules that a run of the bundle loads: V8 counts them for its coverage. */
export async function loadedModules(args: readonly string[], home: string): Promise<readonly string[]> {
  await using coverage = await tempHome();
  // Saving compiled code would load more modules, but only in some runs.
  const env = { HERMES_HOME: home, NODE_V8_COVERAGE: coverage.path, NODE_DISABLE_COMPILE_CACHE: "1" };
  const ran = await runProgram(process.execPath, [bundle, ...args], { env });
  assert.equal(ran.code, 0, ran.stderr);
  const reports = await Promise.all(
    (await readdir(coverage.path)).map((name) => readFile(join(coverage.path, name), "utf8")),
  );
  return reports
    .flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result)
    .map(({ url }) => url);
}
