import { oneLine } from "../../base/text/text.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "approve",
  args: "[session | always] [id]",
  summary: "Approve the pending call",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { run, answersAs }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const scopes = ["once", "session", "always"] as const;
    const scope = scopes.find((each) => words.includes(each)) ?? "once";
    const id = words.find((word) => !scopes.some((each) => each === word));
    const { text } = await run("session.answer", { scope, id, by: answersAs });
    return { text: `Allowed (${scope}): ${oneLine(text, 200)}` };
  },
});
