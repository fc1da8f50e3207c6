import { access } from "node:fs/promises";
import { join } from "node:path";

import { type Clock, systemClock } from "../base/clock.ts";
import { homeFiles } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Diagnostic } from "../contracts/tool/registry.ts";
import { builtinToolsets } from "../tools/toolsets.ts";
import { builtinTools } from "./calls/builtin-tools.ts";
import type { Contribution } from "./contributions.ts";

export interface BuiltinOptions {
  /** The folder in which the program was started. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** True: omits the user's own tools. */
  readonly safeMode?: boolean;
}

/** The built-in parts, one contribution for each kind, and the user's own tools and toolsets. */
export function builtins(config: LoadedConfig, options: BuiltinOptions): readonly Contribution[] {
  const { cwd, clock = systemClock } = options;
  return [
    builtinToolsOf(options),
    {
      owner: "built-in providers",
      providers: async () => (await import("./models/builtin-providers.ts")).builtinProviders,
    },
    {
      owner: "built-in environments",
      environments: async () => (await import("./environment/backends.ts")).builtinEnvironments(config),
    },
    {
      owner: "built-in policies",
      policies: async () => (await import("./policy/builtin-policies.ts")).builtinPolicies(config, { cwd, clock }),
    },
    {
      owner: "built-in context engines",
      contextEngines: async () => (await import("./session/builtin-engines.ts")).builtinEngines(config),
    },
    {
      owner: "built-in memory providers",
      memoryProviders: async () => (await import("./knowledge/memory-providers.ts")).builtinMemoryProviders(config),
    },
    {
      owner: "toolsets of the settings",
      toolsets: () =>
        Object.entries(config.values.custom_toolsets).map(([name, includes]) => ({
          name,
          description: "Your own toolset",
          tools: [],
          includes,
        })),
    },
    ...(options.safeMode ? [] : [userTools(config, options)]),
  ];
}

function builtinToolsOf({ signal, clock = systemClock }: BuiltinOptions): Contribution {
  let diagnostics: readonly Diagnostic[] = [];
  return {
    owner: "built-in tools",
    toolsets: () => builtinToolsets,
    async tools() {
      const loaded = await builtinTools({ signal, clock });
      ({ diagnostics } = loaded);
      return loaded.tools.map((tool) => ({ tool, source: { kind: "builtin" } }));
    },
    diagnostics: () => diagnostics,
  };
}

/** The tools in the user's folder. Loads no code if the folder is missing. */
function userTools({ values, home }: LoadedConfig, { signal, clock = systemClock }: BuiltinOptions): Contribution {
  const folder = join(home.path, homeFiles.tools);
  const mayOverride = values.plugins.entries["user"]?.allow_tool_override === true;
  const entry = new DisposableStack();
  let diagnostics: readonly Diagnostic[] = [];
  return {
    owner: "your tools",
    async tools() {
      if (!(await exists(folder))) return [];
      const [{ discoverTools }, { offerPluginEntry }] = await Promise.all([
        import("../kernel/registry/discover.ts"),
        import("../kernel/registry/plugin-entry.ts"),
      ]);
      entry.use(offerPluginEntry());
      const own = await discoverTools(folder, { signal, clock });
      ({ diagnostics } = own);
      return own.tools.map(({ tool, file }) => ({
        tool: tool.toolset === "" ? { ...tool, toolset: "user" } : tool,
        source: { kind: "user", file, overrides: mayOverride ? [tool.name] : [] },
      }));
    },
    async served() {
      if (!(await exists(folder))) return [];
      const { discoverServed } = await import("../kernel/registry/discover.ts");
      const own = await discoverServed(folder, { signal, clock });
      diagnostics = [...diagnostics, ...own.diagnostics];
      return own.served;
    },
    diagnostics: () => diagnostics,
    dispose: async () => entry.dispose(),
  };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
