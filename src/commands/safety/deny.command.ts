import { oneLine } from "../../base/text/text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "deny",
  args: "[reason]",
  summary: "Deny what waits for approval; the model reads the reason",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { run, answersAs }) {
    const reason = args === "" ? undefined : args;
    const { text } = await run("session.answer", { scope: "deny", reason, by: answersAs });
    return { text: `Denied: ${oneLine(text, 200)}` };
  },
});
