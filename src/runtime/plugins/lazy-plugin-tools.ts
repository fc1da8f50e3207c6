import type { PluginClient } from "../../contracts/plugin/client.ts";
import type { Permissions } from "../../contracts/plugin/manifest.ts";
import type { PluginRegistration, ToolRegistration } from "../../contracts/plugin/registration.ts";
import type { RegisteredTool } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { lazyTool } from "../../kernel/registry/lazy-tool.ts";
import type { PluginToolFacts } from "../../plugins/adapt/plugin-tools.ts";
import { pluginToolHeader } from "../../plugins/adapt/tool-header.ts";
import type { Contribution } from "../contributions.ts";

export interface LazyToolFacts {
  /** The key of the plugin. */
  readonly key: string;
  readonly permissions: Permissions;
  /** Whether the operator allows this plugin to replace tools of other plugins. */
  readonly mayOverride: boolean;
  readonly load: (tool: ToolRegistration) => Promise<Tool>;
}

/** The tools of one plugin. The code that runs them is loaded at the first call or availability check. */
export function lazyPluginTools(
  { tools }: Pick<PluginRegistration, "tools">,
  { key, permissions, mayOverride, load }: LazyToolFacts,
): readonly RegisteredTool[] {
  return tools.map((tool) => {
    const hasCheck = tool.isAvailable !== undefined;
    const header = Object.assign(pluginToolHeader(tool, permissions), { hasCheck, hasRefine: false });
    const overrides = mayOverride && tool.overrides ? [tool.name] : noNames;
    return { tool: lazyTool(header, () => load(tool)), source: { kind: "plugin", plugin: key, overrides } };
  });
}

const noNames: readonly string[] = [];

export async function loadPluginTool(
  tool: ToolRegistration,
  client: PluginClient,
  facts: PluginToolFacts,
): Promise<Tool> {
  return (await import("../../plugins/adapt/plugin-tools.ts")).pluginTool(tool, client, facts);
}

/** Whether the plugin contributes nothing except tools. A start loads almost no code for such a plugin. */
export function hasOnlyTools(registration: PluginRegistration): boolean {
  // The cast is safe: the index and `emptyRegistration` have exactly these keys.
  const kinds = Object.keys(registration) as (keyof PluginRegistration)[];
  return kinds.every((kind) => kind === "tools" || kind === "unsupported" || registration[kind].length === 0);
}

/** The shelf ends the plugin's process. */
export function toolContribution(registration: PluginRegistration, facts: LazyToolFacts): Contribution {
  return { owner: `plugin ${facts.key}`, isForeign: true, tools: () => lazyPluginTools(registration, facts) };
}
