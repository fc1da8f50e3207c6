/**
 * Loaded before the tests by `npm test`: property tests use the same cases in every run, so that a failure is caused by
 * the change and can be reproduced. `npm run fuzz` tries new cases (`more-cases.ts`). The rest makes each test process
 * start faster. This file is plain JavaScript: with all other modules in the cache, no test process has to load the
 * compiler of TypeScript.
 */
import asyncHooks from "node:async_hooks";
import { readFileSync } from "node:fs";
import { enableCompileCache, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");

// Processes share the compiled modules, because most tests load the same ones.
enableCompileCache(join(root, "node_modules", ".cache", "tests"));

// Our sources import each other by their file names, so that Node needs neither their packages nor their real paths.
const sources = `${pathToFileURL(root).href}/`;
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith(".") && specifier.endsWith(".ts") && context.parentURL?.startsWith(sources)) {
      const { href } = new URL(specifier, context.parentURL);
      return { url: href, format: "module-typescript", shortCircuit: true };
    }
    return next(specifier, context);
  },
});

// The test runner follows every promise, to name the test that left a rejection behind. That takes one fourteenth of the
// processor time of the tests. Without it a rejection still fails the run, but the run does not name the test.
const { createHook } = asyncHooks;
asyncHooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });

// Most integration tests have no property test.
if (process.argv.slice(2).some((file) => readFileSync(file, "utf8").includes("fast-check"))) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: 20_261_115 });
}
