import { plural } from "../../base/text/text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { onlyAll } from "./only-all.ts";

export const toolsetsCommand: SlashCommand = {
  name: "toolsets",
  args: "[all]",
  maxWords: 1,
  summary: "Show the toolsets",
  async run(args, ctx) {
    if (args !== "" && args !== "all") return onlyAll("toolsets", args);
    const { toolsets } = await ctx.run("toolsets.inSession", {});
    const shown = args === "all" ? toolsets : toolsets.filter(({ tools, role }) => tools > 0 && role !== "preset");
    const list = rows(shown.map(({ name, tools, description }) => [name, `${plural(tools, "tool")} · ${description}`]));
    const hidden = toolsets.length - shown.length;
    return {
      text: hidden === 0 ? list : `${list}\n${hidden} more, empty here or for other platforms: /toolsets all`,
    };
  },
};
