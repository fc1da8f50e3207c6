import { oneLine } from "../../base/text/text.ts";
import type { OutputOf } from "../../operations/catalog.ts";
import type { SlashCommand } from "../slash-command.ts";

export const pluginsCommand: SlashCommand = {
  name: "plugins",
  summary: "Show the plugins with their tools and hooks, and why others are not loaded",
  async run(_args, ctx) {
    const { plugins, problems } = await ctx.run("plugins.list", {});
    // Bundled plugins that are not enabled are not listed.
    const shown = plugins.filter(({ source, state }) => source !== "bundled" || state !== "disabled");
    const lines = [...shown.map(pluginLine), ...problems.map(({ message }) => `✗ ${oneLine(message, 300)}`)];
    if (lines.length === 0) return { text: "Plugins (0): to write one: hermes plugins create NAME" };
    return { text: [`Plugins (${lines.length}):`, ...lines].join("\n") };
  },
};

function pluginLine(plugin: OutputOf<"plugins.list">["plugins"][number]): string {
  const { key, version, state, why, tools, hooks, refusedTools } = plugin;
  const title = version === "" ? key : `${key} v${version}`;
  if (state !== "active") return `✗ ${title}: ${oneLine(why ?? state, 300)}`;
  const refused = refusedTools.map((tool) => `; ${tool.name} is not used: ${tool.why}`).join("");
  return `✓ ${title} (${tools.length} tools, ${hooks.length} hooks${oneLine(refused, 300)})`;
}
