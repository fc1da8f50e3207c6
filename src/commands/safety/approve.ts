import { oneLine } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const approveCommand: SlashCommand = {
  name: "approve",
  args: "[session | always] [id]",
  maxWords: 2,
  summary: "Approve the pending call",
  async run(args, { run, answersAs }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const scopes = ["once", "session", "always"] as const;
    const scope = scopes.find((each) => words.includes(each)) ?? "once";
    const id = words.find((word) => !scopes.some((each) => each === word));
    const { text } = await run("session.answer", { scope, id, by: answersAs });
    return { text: `Allowed (${scope}): ${oneLine(text, 200)}` };
  },
};
