import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import type { Diagnostic } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { discoverTools } from "../../kernel/registry/discover.ts";

/**
 * The tools that come with the product. From source they are found by scanning the folder; the build puts a generated
 * module in this file's place, with names, texts and schemas as data and the code loaded at the first call.
 */
export async function builtinTools(options: {
  readonly signal: AbortSignal;
  readonly clock: Clock;
}): Promise<{ readonly tools: readonly Tool[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { tools, diagnostics } = await discoverTools(join(import.meta.dirname, "..", "..", "tools"), options);
  return { tools: tools.map(({ tool }) => tool), diagnostics };
}
