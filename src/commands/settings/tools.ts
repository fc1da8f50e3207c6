import { plural } from "../../base/text/text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { onlyAll } from "./only-all.ts";

export const toolsCommand: SlashCommand = {
  name: "tools",
  args: "[all]",
  maxWords: 1,
  summary: "Show the tools of this session, and why others are missing",
  async run(args, ctx) {
    if (args !== "" && args !== "all") return onlyAll("tools", args);
    const { tools } = await ctx.run("tools.inSession", {});
    const usable = tools.filter(({ state }) => state !== "missing");
    const shown = args === "all" ? tools : usable;
    const list = rows(
      shown.map(({ name, toolset, state, why }) => {
        if (state === "direct") return [name, toolset];
        return [name, `${toolset}, ${state === "searchable" ? "found by search" : why}`];
      }),
    );
    const missing = tools.length - usable.length;
    const rest = args === "all" || missing === 0 ? "" : `\n${plural(missing, "more tool")}: /tools all`;
    return { text: `${list}${rest}` };
  },
};
