import type { SlashCommand } from "../slash-command.ts";

export const redrawCommand: SlashCommand = {
  name: "redraw",
  summary: "Draw the window again, after another program wrote into it",
  where: "terminal",
  run: async () => ({ text: "", effect: { kind: "redraw" } }),
};
