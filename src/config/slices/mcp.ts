import { z } from "zod";

import { anyJson } from "./anything.ts";
import { setting } from "./setting.ts";

export const mcp_servers = setting(
  anyJson.default({}),
  "MCP servers by name, or a list of entries with `name`. [Their keys](mcp-servers.md). A server with a mistake is off, and `hermes mcp list` says why.",
);

export const mcp = setting(
  z.object({
    auto_reload_on_config_change: setting(
      z.boolean().default(true),
      "A chat with MCP servers notices changes of `mcp_servers` and reloads them (see `approvals.mcp_reload_confirm`).",
    ),
    osv_url: setting(
      z.string().default("https://api.osv.dev/v1/query"),
      "Address of the OSV database, or of a mirror, that lists malware and flaws of packages. Hermes sends it the names and versions of packages that npx, uvx and similar programs fetch for MCP servers. Empty: packages are not checked.",
    ),
  }),
  "Settings for all MCP servers.",
);

const seconds = (initial: number) => z.number().min(0).max(600).default(initial);

export const mcp_discovery_timeout = setting(
  seconds(1.5),
  "Seconds that the first prompt waits for MCP servers whose tools are not known yet.",
);

export const mcp_single_query_discovery_timeout = setting(
  seconds(15),
  "The same time limit for `-z` and `chat -q`, which have no second prompt.",
);
