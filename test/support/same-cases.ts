/**
 * Loaded before the tests by `npm test`: property tests use the same cases in every run, so that a failure is caused by
 * the change and can be reproduced. `npm run fuzz` tries new cases (`more-cases.ts`). Processes share the compiled
 * modules, because most tests load the same ones.
 */
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../../node_modules/.cache/tests"));

const files = process.argv.slice(1);
// An integration test has its own process, and most of them have no property test.
if (files.some((file) => !file.endsWith(".test.ts") || readFileSync(file, "utf8").includes("fast-check"))) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: 20_261_115 });
}
