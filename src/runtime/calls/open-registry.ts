import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Diagnostic, Registry } from "../../contracts/tool/registry.ts";
import { createRegistry } from "../../kernel/registry/registry.ts";
import { coreTools, toolsets } from "../../tools/toolsets.ts";
import { loadTools } from "./load-tools.ts";

/** Every tool and toolset that this program knows: built in, and the user's own. */
export interface OpenedRegistry extends Disposable {
  readonly registry: Registry;
  /** What could not be loaded or was refused; the rest is there. */
  readonly diagnostics: readonly Diagnostic[];
}

export async function openRegistry(
  { values, home }: LoadedConfig,
  options: {
    readonly signal: AbortSignal;
    readonly clock: Clock;
    /** Without the user's own tools. */
    readonly isSafe?: boolean;
  },
): Promise<OpenedRegistry> {
  const registry = createRegistry({ core: coreTools });
  for (const toolset of toolsets) registry.addToolset(toolset);
  for (const [name, includes] of Object.entries(values.custom_toolsets)) {
    registry.addToolset({ name, description: "Your own toolset", tools: [], includes });
  }
  const loaded = await loadTools(registry, options.isSafe ? undefined : join(home.path, homeFiles.tools), {
    ...options,
    mayOverride: values.plugins.entries["user"]?.allow_tool_override === true,
  });
  return {
    registry,
    get diagnostics() {
      return [...loaded.diagnostics, ...registry.diagnostics];
    },
    [Symbol.dispose]: () => loaded[Symbol.dispose](),
  };
}
