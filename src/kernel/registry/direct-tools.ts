import type { RegisteredTool, ToolSearchOptions } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";

/**
 * Returns the names of the tools whose definitions are sent with every request: those in the settings, and the tools of
 * whole plugins, smaller plugins first, as long as all of them fit.
 */
export function directTools(
  tools: readonly RegisteredTool[],
  { direct, directPluginBytes }: Pick<ToolSearchOptions, "direct" | "directPluginBytes">,
): ReadonlySet<string> {
  const names = new Set(direct);
  const ofPlugins = tools.flatMap(({ tool, source }) =>
    source.kind === "plugin" && !names.has(tool.name) ? [{ tool, plugin: source.plugin }] : [],
  );
  const plugins = Array.from(
    Map.groupBy(ofPlugins, ({ plugin }) => plugin),
    ([plugin, own]) => ({
      plugin,
      own,
      bytes: own.reduce((sum, { tool }) => sum + bytesOf(tool), 0),
    }),
  );
  let left = directPluginBytes;
  for (const { own, bytes } of plugins.toSorted((a, b) => a.bytes - b.bytes || (a.plugin < b.plugin ? -1 : 1))) {
    if (bytes > left) break;
    left -= bytes;
    for (const { tool } of own) names.add(tool.name);
  }
  return names;
}

function bytesOf({ name, description, inputSchema }: Tool): number {
  return Buffer.byteLength(JSON.stringify([name, description, inputSchema]));
}
