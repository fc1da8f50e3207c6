import type { OutputOf } from "../../operations/catalog.ts";

/** One line about the servers that were or would be changed. */
export function changedServersText({
  added,
  removed,
  changed,
}: Pick<Reloaded, "added" | "removed" | "changed">): string {
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(", ")}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(", ")}`] : []),
    ...(changed.length > 0 ? [`changed ${changed.join(", ")}`] : []),
  ];
  return parts.length === 0 ? "The MCP servers are as before." : `MCP servers: ${parts.join("; ")}.`;
}

export type Reloaded = Extract<OutputOf<"mcp.reload">, { readonly needsConfirmation: false }>;
