import type { Availability, ToolSearchOptions } from "../../src/contracts/tool/registry.ts";

export const everythingAvailable: Availability = { missing: async () => undefined };

export const searchDefaults: ToolSearchOptions = {
  enabled: true,
  direct: ["terminal", "process", "read_file", "write_file", "patch", "search_files", "todo"],
  directPluginBytes: 2_048,
  listing: true,
  listingMaxTokens: 500,
  defaultLimit: 5,
  maxLimit: 20,
};
