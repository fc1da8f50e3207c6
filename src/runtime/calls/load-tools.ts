import { access } from "node:fs/promises";

import type { Clock } from "../../base/clock.ts";
import type { Diagnostic, Registry } from "../../contracts/tool/registry.ts";
import { discoverTools } from "../../kernel/registry/discover.ts";
import { offerPluginEntry } from "../../kernel/registry/plugin-entry.ts";
import { builtinTools } from "./builtin-tools.ts";

export interface LoadedTools extends Disposable {
  /** What could not be loaded; the rest is there. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Fills the registry: what comes with the product, then the user's own folder, if any; it costs nothing while it is missing.
 * `mayOverride` is the operator's grant that the user's tools may take the place of others.
 */
export async function loadTools(
  registry: Registry,
  userFolder: string | undefined,
  options: { readonly signal: AbortSignal; readonly clock: Clock; readonly mayOverride: boolean },
): Promise<LoadedTools> {
  const { tools, diagnostics } = await builtinTools(options);
  for (const tool of tools) registry.add(tool, { kind: "builtin" });
  if (userFolder === undefined || !(await isThere(userFolder))) return { diagnostics, [Symbol.dispose]() {} };
  const entry = offerPluginEntry();
  const own = await discoverTools(userFolder, options);
  for (const { tool, file } of own.found) {
    registry.add(tool, { kind: "user", file, overrides: options.mayOverride ? [tool.name] : [] });
  }
  return { diagnostics: [...diagnostics, ...own.diagnostics], [Symbol.dispose]: () => entry[Symbol.dispose]() };
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
