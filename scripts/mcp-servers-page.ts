import { serverKeys } from "../src/mcp/entries/server-keys.ts";
import type { SettingKeys } from "../src/mcp/entries/setting-key.ts";

/** The parts of docs/reference/mcp-servers.md: every key of a server. */
export function mcpServersParts(): readonly string[] {
  return [
    "Keys below `mcp_servers.NAME` in `config.yaml`; [the guide](../guide/mcp.md) shows how they are used. Times are seconds. A plain `true` or `false` for `sampling` and `elicitation` sets their `enabled`.",
    ["| key | default | meaning |", "| --- | --- | --- |", ...rows(serverKeys, "")].join("\n"),
  ];
}

function rows(keys: SettingKeys, prefix: string): readonly string[] {
  return Object.entries(keys).flatMap(([name, { keys: below, initial, about }]) => {
    if (below) return rows(below, `${prefix}${name}.`);
    return [`| \`${prefix}${name}\` | ${initial === undefined ? "" : `\`${JSON.stringify(initial)}\``} | ${about} |`];
  });
}
