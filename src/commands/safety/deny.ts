import { oneLine } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const denyCommand: SlashCommand = {
  name: "deny",
  args: "[reason]",
  summary: "Deny the pending call; the model gets your reason",
  async run(args, { run, answersAs }) {
    const reason = args === "" ? undefined : args;
    const { text } = await run("session.answer", { scope: "deny", reason, by: answersAs });
    const passed = reason === undefined ? "" : "\nYour reason was passed to the model.";
    return { text: `Denied: ${oneLine(text, 200)}${passed}` };
  },
};
