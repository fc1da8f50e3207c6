import { leaveSession } from "../sessions/leave-session.ts";
import type { SlashCommand } from "../slash-command.ts";

export const clearCommand: SlashCommand = {
  name: "clear",
  args: "[now]",
  maxWords: 1,
  summary: "Clear the window and start a new session; this one is kept",
  holdsPrompts: true,
  where: "terminal",
  async run(args, ctx) {
    const left = await leaveSession(args, ctx);
    if (!left.isLeft) return { text: "Nothing was cleared. The session continues." };
    return { text: left.text, effect: { kind: "new", clears: true } };
  },
};
