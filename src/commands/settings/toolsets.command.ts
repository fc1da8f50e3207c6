import { plural } from "../../base/text/text.ts";
import { rows } from "../reply-text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "toolsets",
  args: "[all]",
  summary: "Show the toolsets",
  where: "everywhere",
  whileBusy: "now",
  async run(args, ctx) {
    const { toolsets } = await ctx.run("toolsets.inSession", {});
    const shown = args === "all" ? toolsets : toolsets.filter(({ tools, role }) => tools > 0 && role !== "preset");
    const list = rows(shown.map(({ name, tools, description }) => [name, `${plural(tools, "tool")} · ${description}`]));
    const hidden = toolsets.length - shown.length;
    return { text: hidden === 0 ? list : `${list}\n${hidden} more, empty here or for other platforms: /toolsets all` };
  },
});
