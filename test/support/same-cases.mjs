/**
 * Loaded before the tests by `npm test`: property tests use the same cases in every run, so that a failure is caused by
 * the change and can be reproduced. `npm run fuzz` tries new cases (`more-cases.ts`). The rest makes each test process
 * start faster. This file is plain JavaScript: with all other modules in the cache, no test process has to load the
 * compiler of TypeScript.
 */
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

const files = process.argv.slice(1);
// An integration test has its own process, and most of them have no property test.
if (files.some((file) => !file.endsWith(".test.ts") || readFileSync(file, "utf8").includes("fast-check"))) {
  const { configureGlobal } = await import("fast-check");
  configureGlobal({ seed: 20_261_115 });
}
