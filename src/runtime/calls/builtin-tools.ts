import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Diagnostic } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { discoverTools } from "../../kernel/registry/discover.ts";

/**
 * The built-in tools. From source, Hermes scans the folder; the build replaces this file by a generated module with
 * names, texts and schemas as data, and code that loads at the first call.
 */
export async function builtinTools(options: {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}): Promise<{ readonly tools: readonly Tool[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { tools, diagnostics } = await discoverTools(join(import.meta.dirname, "..", "..", "tools"), options);
  return { tools: tools.map(({ tool }) => tool), diagnostics };
}
