import { readFileSync } from "node:fs";
import { registerHooks, type ResolveFnOutput } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

import { toJavaScript, typescriptFile } from "../../sources/to-javascript.ts";

export interface PluginModules {
  /** The absolute path of the plugin's folder. Only files below it are converted. */
  readonly folder: string;
  /** TypeScript sources that the host converted; see `LoadParams.sources`. */
  readonly sources: Readonly<Record<string, string>>;
  /** The URL of the module for `hermes-agent-ts/plugin`. */
  readonly authorEntry: string;
  /** Called when the plugin imports a network module or its code names a network global. */
  readonly onNetwork?: () => void;
  /** Called before the plugin imports `node:fs`. */
  readonly onFiles?: () => void;
  /** Called before the plugin imports `node:child_process`. */
  readonly onPrograms?: () => void;
}

export interface HookedModules extends Disposable {
  /** Imports the plugin's entry file. The message of a syntax error names the file and line. */
  importEntry(url: string): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Lets the files of a plugin run without changes: TypeScript, imports without an extension or with `.js` for `.ts`,
 * JSON without an import attribute, and `hermes-agent-ts/plugin` without an installation.
 */
export function hookModules({
  folder,
  sources,
  authorEntry,
  onNetwork,
  onFiles,
  onPrograms,
}: PluginModules): HookedModules {
  let lastFile: string | undefined;
  /** Accessing these globals would load them, so the code is searched for their names instead. */
  function noteNetwork(source: unknown): void {
    const text = source instanceof Uint8Array ? Buffer.from(source).toString() : source;
    if (typeof text === "string" && /\b(?:WebSocket|EventSource)\b/u.test(text)) onNetwork?.();
  }
  const noted = new Set<string>();
  function noteModule(specifier: string): void {
    if (noted.has(specifier)) return;
    noted.add(specifier);
    if (networkModule.test(specifier)) onNetwork?.();
    if (fileModule.test(specifier)) onFiles?.();
    if (programModule.test(specifier)) onPrograms?.();
  }
  const base = `${pathToFileURL(folder).href}/`;
  if (onFiles) {
    const { getBuiltinModule } = process;
    process.getBuiltinModule = (id: string) => {
      noteModule(id);
      return getBuiltinModule(id) as never;
    };
  }
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const isOwn = context.parentURL?.startsWith(base) === true;
      if (isOwn && authorEntries.includes(specifier)) return { url: authorEntry, shortCircuit: true };
      noteModule(specifier);
      if (!isOwn || context.parentURL?.slice(base.length).includes("node_modules/")) return next(specifier, context);
      const resolved = withQueryOf(
        context.parentURL,
        base,
        resolveFile(specifier, (name) => next(name, context)),
      );
      const isJson = /\.json(?:\?|$)/u.test(resolved.url) && context.importAttributes["type"] === undefined;
      return isJson ? { ...resolved, importAttributes: { type: "json" } } : resolved;
    },
    load(url, context, next) {
      if (!url.startsWith(base)) return next(url, context);
      const path = fileURLToPath(url);
      lastFile = path;
      if (!typescriptFile.test(path)) {
        const loaded = next(url, context);
        noteNetwork(loaded.source);
        return loaded;
      }
      const source = sources[path] ?? toJavaScript(readFileSync(path, "utf8"), path);
      noteNetwork(source);
      // Only a converted file has a source map, which makes errors name the lines of the author's file.
      if (source.includes("//# sourceMappingURL=")) process.setSourceMapsEnabled(true);
      return { format: path.endsWith(".cts") ? "commonjs" : "module", source, shortCircuit: true };
    },
  });
  return {
    async importEntry(url) {
      try {
        return (await import(url)) as Readonly<Record<string, unknown>>;
      } catch (thrown) {
        throw thrown instanceof SyntaxError && lastFile !== undefined ? locate(thrown, lastFile) : thrown;
      }
    },
    [Symbol.dispose]: () => hooks.deregister(),
  };
}

/**
 * Node does not report the position of a syntax error in a module. The TypeScript parser, which also reads
 * JavaScript, does.
 */
function locate(error: SyntaxError, path: string): unknown {
  try {
    toJavaScript(readFileSync(path, "utf8"), path);
    return error;
  } catch (located) {
    return located;
  }
}

/**
 * A version in the entry's query string applies to all its files, so that a plugin can be reloaded in the same
 * process.
 */
function withQueryOf(parent: string | undefined, base: string, resolved: ResolveFnOutput): ResolveFnOutput {
  const query = parent === undefined ? "" : new URL(parent).search;
  const isVersioned = query !== "" && resolved.url.startsWith(base) && !resolved.url.includes("?");
  return isVersioned ? { ...resolved, url: `${resolved.url}${query}` } : resolved;
}

const authorEntries: readonly string[] = ["hermes-agent-ts/plugin", "hermes-agent-ts"];
const fileModule = /^(?:node:)?fs(?:\/promises)?$/u;
const programModule = /^(?:node:)?child_process$/u;
const networkModule = /^(?:node:)?(?:https?|http2|child_process)$/u;

/** Resolves files like TypeScript: `./tools` and `./tools.js` mean `tools.ts` if only that exists. */
function resolveFile(specifier: string, resolve: (specifier: string) => ResolveFnOutput): ResolveFnOutput {
  try {
    return resolve(specifier);
  } catch (thrown) {
    if (!/^\.{0,2}\//u.test(specifier)) throw thrown;
    for (const name of [specifier.replace(/\.([mc]?)js$/u, ".$1ts"), `${specifier}.ts`, `${specifier}/index.ts`]) {
      try {
        if (name !== specifier) return resolve(name);
      } catch {
        // The first error names the file that the author wrote.
      }
    }
    throw thrown;
  }
}
