import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The program that runs in the process of a TypeScript plugin: a file of the bundle, or a source file in a clone. */
export function nodeRunnerFile(): string {
  return isSource() ? join(root(), "bin", "plugin-runner.ts") : join(root(), "plugin-runner.js");
}

/** The first program in the sandbox of a server with network access. It is a single file. */
export function networkRunnerFile(): string {
  return isSource() ? join(root(), "bin", "network-runner.ts") : join(root(), "network-runner.js");
}

/** The URL of the module that replaces `hermes-agent-ts/plugin` in plugins. */
export function authorEntryUrl(): string {
  const file = isSource() ? join("plugins", "runner", "node", "author-entry.ts") : "plugin-author.js";
  return pathToFileURL(join(root(), file)).href;
}

/** The type declarations of `hermes-agent-ts/plugin`: a `.d.ts` file in a package, the source in a clone. */
export function authorTypesFile(): string {
  const declared = join(root(), "types", "plugin.d.ts");
  return existsSync(declared) ? declared : join(root(), "..", "src", "plugin.ts");
}

function isSource(): boolean {
  return import.meta.filename.endsWith(".ts");
}

/** The folder `src`, or `dist` if this file is part of the bundle. */
function root(): string {
  const { dirname } = import.meta;
  if (isSource()) return join(dirname, "..", "..");
  return dirname.endsWith("chunks") ? join(dirname, "..") : dirname;
}
