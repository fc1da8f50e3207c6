/**
 * Loaded before the tests by `npm test`: property tests use the same cases in every run, so that a failure is caused by
 * the change and can be reproduced. `npm run fuzz` tries new cases (`more-cases.ts`). The rest makes each test process
 * faster.
 */
import asyncHooks from "node:async_hooks";
import { readFileSync } from "node:fs";

import "./load-sources.mjs";

// The test runner follows every promise, to name the test that left a rejection behind. That takes one fourteenth of the
// processor time of the tests. Without it a rejection still fails the run, but the run does not name the test.
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });

// Most integration tests have no property test.
if (process.argv.slice(2).some((file) => readFileSync(file, "utf8").includes("fast-check"))) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: 20_261_115 });
}
