import { access } from "node:fs/promises";

import type { Clock } from "../base/clock.ts";
import type { Diagnostic, Registry } from "../contracts/registry.ts";
import { builtinTools } from "./builtin-tools.ts";

/** Fills the registry: what comes with the product, then the user's own folder. Answers what could not be loaded. */
export async function loadTools(
  registry: Registry,
  userFolder: string,
  options: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<readonly Diagnostic[]> {
  const { tools, diagnostics } = await builtinTools(options);
  for (const tool of tools) registry.add(tool, { kind: "builtin" });
  return [...diagnostics, ...(await loadUserTools(registry, userFolder, options))];
}

/** Costs next to nothing while there is no such folder. */
async function loadUserTools(
  registry: Registry,
  folder: string,
  options: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<readonly Diagnostic[]> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  );
  if (!isThere) return [];
  const [{ discoverTools }, { offerPluginEntry }] = await Promise.all([
    import("../kernel/registry/discover.ts"),
    import("./plugin-entry.ts"),
  ]);
  offerPluginEntry();
  const { found, diagnostics } = await discoverTools(folder, options);
  for (const { tool, file } of found) registry.add(tool, { kind: "user", file });
  return diagnostics;
}
