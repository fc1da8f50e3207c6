// Generates a module with the built-in tools: names, texts and schemas as data, and code that is loaded at the first
// call.
import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";

import { isTool } from "../src/contracts/tool/define-tool.ts";
import { headerOf } from "../src/kernel/registry/lazy-tool.ts";

/**
 * Returns TypeScript text with the exports of src/runtime/calls/builtin-tools.ts. Its imports are relative to the
 * folder `importer`.
 */
export async function builtinToolsModule(folder: string, importer: string): Promise<string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tool.ts"))
    .toSorted();
  const rows = await Promise.all(
    files.map(async (name) => {
      const path = join(folder, name);
      const { default: tool }: { readonly default: unknown } = await import(pathToFileURL(path).href);
      if (!isTool(tool)) throw new TypeError(`${name}: the default export is not a tool`);
      const from = relative(importer, path).split(sep).join("/");
      return `lazyTool(${literal(headerOf(tool))}, async () => (await import(${JSON.stringify(from)})).default)`;
    }),
  );
  const lazyTool = relative(importer, join(folder, "..", "kernel", "registry", "lazy-tool.ts"))
    .split(sep)
    .join("/");
  return `
import { lazyTool } from ${JSON.stringify(lazyTool)};
export function builtinTools() {
  return Promise.resolve({ tools: [${rows.join(",\n")}], diagnostics: [] });
}
`;
}

/** Serializes like JSON, but supports `Infinity`. */
function literal(value: unknown): string {
  const infinity = "\u0001infinity";
  return JSON.stringify(value, (_, item: unknown) => (item === Infinity ? infinity : item)).replaceAll(
    JSON.stringify(infinity),
    "Infinity",
  );
}
