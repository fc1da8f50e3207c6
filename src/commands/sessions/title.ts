import type { SlashCommand } from "../slash-command.ts";

export const titleCommand: SlashCommand = {
  name: "title",
  args: "[text]",
  summary: "Show or change the title of this session",
  async run(args, { run }) {
    if (args === "") return { text: (await run("session.status", {})).title ?? "No title yet: /title TEXT" };
    const { title } = await run("session.rename", { title: args });
    return { text: `Renamed this session to "${title}".` };
  },
};
