import { oneLine } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { sessionRows } from "./session-rows.ts";

export const resumeCommand: SlashCommand = {
  name: "resume",
  args: "[number|id|title]",
  summary: "Resume another session; without an argument, list the last ones",
  holdsPrompts: true,
  async choices(_before, { run, sessionId }) {
    const { sessions } = await run("sessions.list", { limit: maxChoices, conversations: true });
    return sessions
      .filter(({ id }) => id !== sessionId)
      .map(({ id, title, preview = "" }) => ({
        value: title ?? id,
        summary: oneLine(title === undefined ? preview : id, 100),
      }));
  },
  async run(args, { run, sessionId, offered, hasPanels }) {
    if (args === "" && hasPanels) return { text: "", effect: { kind: "open", panel: "sessions" } };
    const isNumber = /^\d{1,2}$/u.test(args);
    if (args === "" || (isNumber && offered.sessions === undefined)) {
      const { sessions } = await run("sessions.list", { limit: maxOffered + 1, conversations: true });
      const others = sessions.filter(({ id }) => id !== sessionId).slice(0, maxOffered);
      // A number means the row that was shown, even if the order has changed since.
      offered.sessions = others.map(({ id }) => id);
      if (args === "" && others.length === 0) return { text: "There are no other conversations." };
      if (args === "")
        return { text: `${sessionRows(others, sessionId, true)}\nTo resume one: /resume NUMBER, ID or TITLE` };
    }
    const name = (isNumber && offered.sessions?.[Number(args) - 1]) || args;
    const [record] = (await run("sessions.find", { sessions: [name] })).sessions;
    if (!record) return { text: `There is no session ${args}.`, failed: true };
    const isOpen = record.id === sessionId && (await run("session.status", {})).heldBy === undefined;
    if (isOpen) return { text: "This session is already open." };
    return { text: "", effect: { kind: "resume", session: record.id } };
  },
};

const maxOffered = 10;
const maxChoices = 50;
