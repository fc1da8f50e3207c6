import { plural } from "../base/text/text.ts";
import { rows } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "tools",
  args: "[all]",
  summary: "Show the tools of this conversation, and why others are missing",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host, signal }) {
    const tools = await host.tools(signal);
    const isUsable = (state: string) => state === "direct" || state === "searchable";
    const usable = tools.filter(({ state }) => isUsable(state));
    const missing = tools.filter(({ state }) => !isUsable(state));
    const shown = args === "all" ? tools : usable;
    const list = rows(shown.map(({ name, toolset, state, why }) => [name, stateText(toolset, state, why)]));
    const rest = args === "all" || missing.length === 0 ? "" : `\n${plural(missing.length, "tool")} more: /tools all`;
    return { text: `${list}${rest}` };
  },
});

function stateText(toolset: string, state: string, why: string | undefined): string {
  if (state === "direct") return toolset;
  return `${toolset}, ${state === "searchable" ? "found by search" : (why ?? state)}`;
}
