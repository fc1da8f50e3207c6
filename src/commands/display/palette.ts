import type { SlashCommand } from "../slash-command.ts";

export const paletteCommand: SlashCommand = {
  name: "palette",
  args: "[text]",
  summary: "Search commands, sessions, models and files in one list",
  where: "terminal",
  async run(args, { hasPanels }) {
    if (!hasPanels)
      return { text: "The palette needs the full screen: hermes --tui. /help lists the commands.", failed: true };
    return { text: "", effect: { kind: "open", panel: "palette", ...(args !== "" && { about: args }) } };
  },
};
