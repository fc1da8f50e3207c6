import { defineCommand } from "../slash-command.ts";
import { sessionRows } from "./sessions.command.ts";

const maxOffered = 10;

export default defineCommand({
  name: "resume",
  args: "[number|id|title]",
  summary: "Resume another session; without an argument, list the last ones",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { run, sessionId }) {
    const { sessions } = await run("sessions.list", { limit: maxOffered + 1 });
    const others = sessions.filter(({ id }) => id !== sessionId).slice(0, maxOffered);
    if (args === "") {
      if (others.length === 0) return { text: "There are no other sessions." };
      const numbers = others.map((_, index) => String(index + 1));
      return { text: `${sessionRows(others, sessionId, numbers)}\nTo resume one: /resume NUMBER, ID or TITLE` };
    }
    const numbered = /^\d{1,2}$/u.test(args) ? others[Number(args) - 1] : undefined;
    const [record] = numbered ? [numbered] : (await run("sessions.find", { sessions: [args] })).sessions;
    if (!record) return { text: `There is no session ${args}.`, failed: true };
    if (record.id === sessionId) return { text: "This session is already open." };
    return { text: "", effect: { kind: "resume", session: record.id } };
  },
});
