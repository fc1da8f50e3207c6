/**
 * Makes a process that runs from source start faster: the test processes, and programs that tests start from source
 * (`sourceFlags`). Processes share the compiled modules, because most of them load the same ones. This file is plain
 * JavaScript: with all other modules in the cache, no process has to load the compiler of TypeScript.
 */
import { enableCompileCache, registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");

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
