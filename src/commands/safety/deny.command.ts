import { oneLine } from "../../base/text/text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "deny",
  args: "[reason]",
  summary: "Deny the pending call; the model gets your reason",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { run, answersAs }) {
    const reason = args === "" ? undefined : args;
    const { text } = await run("session.answer", { scope: "deny", reason, by: answersAs });
    const passed = reason === undefined ? "" : "\nYour reason was passed to the model.";
    return { text: `Denied: ${oneLine(text, 200)}${passed}` };
  },
});
