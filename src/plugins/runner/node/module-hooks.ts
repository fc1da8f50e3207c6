import { readFileSync } from "node:fs";
import { registerHooks, type ResolveFnOutput } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

import { toJavaScript, typescriptFile } from "../../sources/to-javascript.ts";

export interface PluginModules {
  /** Absolute. Only files below it get the treatment. */
  readonly folder: string;
  /** Converted by the host; see `LoadParams.sources`. */
  readonly sources: Readonly<Record<string, string>>;
  /** Address of what `hermes-agent-ts/plugin` gives. */
  readonly authorEntry: string;
  /** Called when it first imports a module that uses the network. */
  readonly onNetwork?: () => void;
}

/**
 * Makes the files of a plugin run as they are: TypeScript, imports without extension or with `.js` for `.ts`, JSON without
 * an attribute, and `hermes-agent-ts/plugin` without an installation.
 */
export function hookModules({ folder, sources, authorEntry, onNetwork }: PluginModules): Disposable {
  const base = `${pathToFileURL(folder).href}/`;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isOwn = context.parentURL?.startsWith(base) === true;
      if (isOwn && authorEntries.includes(specifier)) return { url: authorEntry, shortCircuit: true };
      if (networkModule.test(specifier)) onNetwork?.();
      if (!isOwn || context.parentURL?.slice(base.length).includes("node_modules/")) return next(specifier, context);
      const resolved = resolveFile(specifier, (name) => next(name, context));
      const isJson = resolved.url.endsWith(".json") && context.importAttributes["type"] === undefined;
      return isJson ? { ...resolved, importAttributes: { type: "json" } } : resolved;
    },
    load(url, context, next) {
      if (!url.startsWith(base) || !typescriptFile.test(url)) return next(url, context);
      const path = fileURLToPath(url);
      const source = sources[path] ?? toJavaScript(readFileSync(path, "utf8"), path);
      return { format: path.endsWith(".cts") ? "commonjs" : "module", source, shortCircuit: true };
    },
  });
  return { [Symbol.dispose]: () => hooks.deregister() };
}

const authorEntries: readonly string[] = ["hermes-agent-ts/plugin", "hermes-agent-ts"];
const networkModule = /^(?:node:)?(?:https?|http2)$/u;

/** As TypeScript finds files: `./tools` and `./tools.js` mean `tools.ts` where only that exists. */
function resolveFile(specifier: string, resolve: (specifier: string) => ResolveFnOutput): ResolveFnOutput {
  try {
    return resolve(specifier);
  } catch (thrown) {
    if (!/^\.{0,2}\//u.test(specifier)) throw thrown;
    for (const name of [specifier.replace(/\.([mc]?)js$/u, ".$1ts"), `${specifier}.ts`, `${specifier}/index.ts`]) {
      try {
        if (name !== specifier) return resolve(name);
      } catch {
        // The first error names what the author wrote.
      }
    }
    throw thrown;
  }
}
