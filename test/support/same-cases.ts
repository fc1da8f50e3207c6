/**
 * Loaded before the tests by `npm test`: property tests try the same cases in every run, so that a red run is about the
 * change and can be run again. New cases are what `npm run fuzz` is for (`more-cases.ts`).
 */
import { readFileSync } from "node:fs";

const file = process.argv[1];
// Whatever starts programs has a process to itself; most of those have no property to test.
if (file === undefined || !file.endsWith(".test.ts") || readFileSync(file, "utf8").includes("fast-check")) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: 20_261_115 });
}
