import type { SlashCommand } from "../slash-command.ts";

export const btwCommand: SlashCommand = {
  name: "btw",
  args: "<question>",
  summary: "Ask a side question about this conversation; it does not become part of the history",
  async run(args, { run }) {
    if (args === "") return { text: "Pass a question: /btw why did you choose a map?", failed: true };
    const { answer } = await run("session.aside", { question: args });
    return { text: answer };
  },
};
