import type { SlashCommand } from "../slash-command.ts";

export const quitCommand: SlashCommand = {
  name: "quit",
  aliases: ["exit"],
  summary: "Leave; the session is kept",
  where: "terminal",
  whileBusy: "interrupt",
  run: async () => ({ text: "", effect: { kind: "quit" } }),
};
