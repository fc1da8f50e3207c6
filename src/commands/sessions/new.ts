import type { SlashCommand } from "../slash-command.ts";
import { leaveSession, sureEnd } from "./leave-session.ts";

export const newCommand: SlashCommand = {
  name: "new",
  aliases: ["reset"],
  args: "[title] [now]",
  summary: "Start a new session; this one is kept",
  holdsPrompts: true,
  async run(args, ctx) {
    const title = args.replace(sureEnd, "").trim();
    const { isLeft, text } = await leaveSession(args, ctx);
    if (!isLeft) return { text: "No new session was started. This session continues." };
    return { text, effect: { kind: "new", ...(title !== "" && { title }) } };
  },
};
