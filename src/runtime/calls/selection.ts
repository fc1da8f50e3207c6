import { userFolder } from "../../config/home.ts";
import type { Config, LoadedConfig } from "../../config/load.ts";
import type { CatalogOptions, SettingNames, ToolSearchOptions } from "../../contracts/tool/registry.ts";
import type { ToolSelection } from "../../contracts/tool/toolset.ts";
import { isCodeWorkspace } from "../../environments/workspace.ts";
import { startFolder } from "../environment/backends.ts";

/** The tools that the settings select for a platform and a folder, and the setting behind each part. */
export async function selectionFor(
  config: LoadedConfig,
  platform: string,
  cwd: string,
): Promise<{ readonly selection: ToolSelection; readonly settings: Partial<SettingNames> }> {
  const { values } = config;
  const own = values.platform_toolsets[platform];
  const isCoding = own === undefined && platform === "cli" && (await isCodingPosture(config, cwd));
  return {
    selection: {
      enabled: isCoding ? ["coding"] : (own ?? values.toolsets),
      disabled: values.agent.disabled_toolsets,
      enabledTools: values.tools.enabled,
      disabledTools: values.tools.disabled,
    },
    settings: {
      enabled: isCoding ? "agent.coding_context" : own ? `platform_toolsets.${platform}` : "toolsets",
      disabled: "agent.disabled_toolsets",
      enabledTools: "tools.enabled",
      disabledTools: "tools.disabled",
    },
  };
}

/** Toolsets that the user selects take precedence. */
async function isCodingPosture(config: LoadedConfig, cwd: string): Promise<boolean> {
  const { agent, terminal } = config.values;
  if (agent.coding_context === "off" || config.origins.get("toolsets")?.from !== "default") return false;
  if (agent.coding_context !== "auto") return true;
  return terminal.backend === "local" && isCodeWorkspace(startFolder(config, cwd), userFolder(config.env));
}

export function scriptLimits({
  code_execution: { timeout, max_tool_calls },
}: Config): CatalogOptions["scripts"] & object {
  return { seconds: timeout, calls: max_tool_calls };
}

export function searchOptions({ tools, plugins }: Config): ToolSearchOptions {
  const settings = tools.tool_search;
  return {
    enabled: settings.enabled !== "off",
    direct: settings.direct,
    directPluginBytes: plugins.direct_bytes,
    listing: settings.listing !== "off",
    listingMaxTokens: settings.listing_max_tokens,
    defaultLimit: settings.search_default_limit,
    maxLimit: settings.max_search_limit,
  };
}
