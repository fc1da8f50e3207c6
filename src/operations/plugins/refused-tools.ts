import type { LoadedConfig } from "../../config/load.ts";
import type { OperationContext } from "../../contracts/host/operation.ts";
import type { PluginStatus } from "../../contracts/plugin/status.ts";
import { builtinTools } from "../../runtime/calls/builtin-tools.ts";
import { mayOverride } from "../../runtime/plugins/plugin-settings.ts";

/** A tool that an active plugin registers and that the model never gets, because its name is in use. */
export interface RefusedTool {
  readonly name: string;
  /** A clause: `Hermes has a tool of this name`. */
  readonly why: string;
  /** Set if a grant lets the plugin replace the other tool. */
  readonly advice?: string;
}

/** The refused tools of each active plugin, by its key. The first owner of a name keeps it, as in the registry. */
export async function refusedTools(
  statuses: readonly PluginStatus[],
  config: LoadedConfig,
  ctx: OperationContext,
): Promise<ReadonlyMap<string, readonly RefusedTool[]>> {
  const refused = new Map<string, readonly RefusedTool[]>();
  const active = statuses.filter(({ state, registration }) => state === "active" && registration?.tools.length);
  if (active.length === 0) return refused;
  const { tools } = await builtinTools(ctx);
  const owners = new Map(tools.map(({ name }) => [name, "Hermes"]));
  for (const { plugin, registration } of active) {
    const mayReplace = mayOverride(config, plugin);
    const ownRefused: RefusedTool[] = [];
    for (const { name, overrides } of registration?.tools ?? []) {
      const owner = owners.get(name);
      if (owner === undefined || (mayReplace && overrides)) owners.set(name, `the plugin ${plugin.key}`);
      else {
        const advice = `To let it replace that tool: hermes plugins grant ${plugin.key} replace-tools`;
        ownRefused.push({ name, why: `${owner} has a tool of this name`, ...(overrides && { advice }) });
      }
    }
    if (ownRefused.length > 0) refused.set(plugin.key, ownRefused);
  }
  return refused;
}
