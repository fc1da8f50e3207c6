import { oneLine } from "../../base/text/text.ts";
import { promptText } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const retryCommand: SlashCommand = {
  name: "retry",
  summary: "Undo the last exchange and send its prompt again",
  whileBusy: "refuse",
  async run(_args, { run }) {
    const { prompt } = await run("session.undo", {});
    return { text: `Again: ${oneLine(promptText(prompt), 200)}`, effect: { kind: "prompt", content: prompt } };
  },
};
