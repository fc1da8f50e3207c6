import { pathToFileURL } from "node:url";

import { reasonOf } from "../../../base/result.ts";

/**
 * Describes a thrown value with the file and line in the plugin's source: `calculator: setup failed: …
 * (index.ts:12)`.
 */
export function describeFailure(what: string, thrown: unknown, plugin: { key: string; folder: string }): string {
  const reason = reasonOf(thrown).trim() || "an error without a message";
  const line = failedLine(thrown, plugin.folder);
  return `${plugin.key}: ${what} failed: ${reason}${line === undefined ? "" : ` (${line})`}${hintFor(reason)}`;
}

/** The first position in the plugin's own files that the stack trace names, relative to its folder. */
function failedLine(thrown: unknown, folder: string): string | undefined {
  if (!(thrown instanceof Error) || typeof thrown.stack !== "string") return undefined;
  // A stack trace shows ES modules by URL and CommonJS files by path.
  for (const base of [pathToFileURL(folder).pathname, folder]) {
    const start = thrown.stack.indexOf(`${base}/`);
    if (start < 0) continue;
    const [, file, line] = /^([^\n?:]+)(?:\?[^:\n]*)?:(\d+)/u.exec(thrown.stack.slice(start + base.length + 1)) ?? [];
    if (file !== undefined) return `${decodeURI(file)}:${line}`;
  }
  return undefined;
}

/** Hints for mistakes that Node's message does not explain. */
function hintFor(reason: string): string {
  const type = /does not provide an export named '(?<name>\w+)'/u.exec(reason)?.groups?.["name"];
  if (type !== undefined) return `. If ${type} is a type, write: import type { ${type} }`;
  const missing = /Cannot find package '(?<name>[^']+)'/u.exec(reason)?.groups?.["name"];
  return missing === undefined ? "" : `. Run "npm install ${missing}" in the plugin's folder.`;
}
