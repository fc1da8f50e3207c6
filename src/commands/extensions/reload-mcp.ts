import { oneLine } from "../../base/text/text.ts";
import { sureWords } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { type Reloaded, changedServersText } from "./server-changes.ts";

export const reloadMcpCommand: SlashCommand = {
  name: "reload-mcp",
  args: "[now]",
  maxWords: 1,
  summary: "Read the MCP servers of the settings again and connect to new and changed ones",
  whileBusy: "refuse",
  async run(args, ctx) {
    const isSure = sureWords.includes(args);
    const first = await ctx.run("mcp.reload", { isConfirmed: isSure || !ctx.confirm });
    const question = "Connect to the MCP servers of the settings again? Calls that run on changed servers end.";
    if (first.needsConfirmation && !(await ctx.confirm?.(question, ctx.signal)))
      return { text: "Nothing was changed." };
    const done = first.needsConfirmation ? await ctx.run("mcp.reload", { isConfirmed: true }) : first;
    return { text: done.needsConfirmation ? "Nothing was changed." : reloadText(done) };
  },
};

function reloadText({ problems, ...changes }: Reloaded): string {
  return [changedServersText(changes), ...problems.map(({ message }) => oneLine(message, 300))].join("\n");
}
