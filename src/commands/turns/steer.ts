import type { SlashCommand } from "../slash-command.ts";

export const steerCommand: SlashCommand = {
  name: "steer",
  aliases: ["s"],
  args: "<text>",
  summary: "Send text to the running turn, without stopping it",
  async run(args, { run }) {
    if (args === "") return { text: "Pass a text: /steer TEXT", failed: true };
    const { isBusy } = await run("session.steer", { text: args });
    return { text: isBusy ? "Queued. The agent sees it after the current tool call." : "" };
  },
};
