import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** The program in the process of a TypeScript plugin: a file of the bundle, or of the sources in a clone. */
export function nodeRunnerFile(): string {
  return isSource() ? join(root(), "bin", "plugin-runner.ts") : join(root(), "plugin-runner.js");
}

/** Address of the module that stands for `hermes-agent-ts/plugin` in plugins. */
export function authorEntryUrl(): string {
  const file = isSource() ? join("plugins", "runner", "node", "author-entry.ts") : "plugin-author.js";
  return pathToFileURL(join(root(), file)).href;
}

function isSource(): boolean {
  return import.meta.filename.endsWith(".ts");
}

/** `src`, or `dist`, where this file is part of the runner or of a chunk. */
function root(): string {
  const { dirname } = import.meta;
  if (isSource()) return join(dirname, "..", "..");
  return dirname.endsWith("chunks") ? join(dirname, "..") : dirname;
}
