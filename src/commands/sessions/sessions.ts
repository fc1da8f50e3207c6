import type { SlashCommand } from "../slash-command.ts";
import { sessionRows } from "./session-rows.ts";

export const sessionsCommand: SlashCommand = {
  name: "sessions",
  args: "[count]",
  maxWords: 1,
  summary: "List your conversations, last changed first",
  async run(args, { run, sessionId, hasPanels }) {
    if (args === "" && hasPanels) return { text: "", effect: { kind: "open", panel: "sessions" } };
    const limit = args === "" ? 10 : Number(args);
    if (!Number.isSafeInteger(limit) || limit < 1)
      return { text: `"${args}" is not a number of sessions.`, failed: true };
    const { sessions } = await run("sessions.list", { limit, conversations: true });
    if (sessions.length === 0) return { text: "There are no conversations yet." };
    return { text: `${sessionRows(sessions, sessionId)}\nTo resume one: /resume ID or TITLE` };
  },
};
