import type { Config } from "../../config/load.ts";
import type { SettingNames, ToolSearchOptions } from "../../contracts/tool/registry.ts";
import type { ToolSelection } from "../../contracts/tool/toolset.ts";

/** The tools that the settings select for a platform, and the setting behind each part. */
export function selectionFor(
  values: Config,
  platform: string,
): { readonly selection: ToolSelection; readonly settings: Partial<SettingNames> } {
  const own = values.platform_toolsets[platform];
  return {
    selection: {
      enabled: own ?? values.toolsets,
      disabled: values.agent.disabled_toolsets,
      enabledTools: values.tools.enabled,
      disabledTools: values.tools.disabled,
    },
    settings: {
      enabled: own ? `platform_toolsets.${platform}` : "toolsets",
      disabled: "agent.disabled_toolsets",
      enabledTools: "tools.enabled",
      disabledTools: "tools.disabled",
    },
  };
}

export function searchOptions(settings: Config["tools"]["tool_search"]): ToolSearchOptions {
  return {
    enabled: settings.enabled !== "off",
    direct: settings.direct,
    listing: settings.listing !== "off",
    listingMaxTokens: settings.listing_max_tokens,
    defaultLimit: settings.search_default_limit,
    maxLimit: settings.max_search_limit,
  };
}
