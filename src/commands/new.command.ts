import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "new",
  aliases: ["reset"],
  args: "[title] [now]",
  summary: "Begin a fresh session; this one is kept",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host, session, signal }) {
    const isSure = /(?:^|\s)(?:now|--yes|-y)$/u.test(args);
    const title = args.replace(/(?:^|\s)(?:now|--yes|-y)$/u, "").trim();
    const isEmpty = session.history().length === 0;
    const question = session.turn ? "Stop the turn and leave this conversation?" : "Leave this conversation?";
    if (!isSure && !isEmpty && host.confirm && !(await host.confirm(question, signal))) {
      return { text: "It goes on." };
    }
    return {
      text: isEmpty ? "" : `Session ${session.id} is kept: hermes -r ${session.id}`,
      effect: { kind: "new", ...(title !== "" && { title }) },
    };
  },
});
