import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "new",
  aliases: ["reset"],
  args: "[title] [now]",
  summary: "Start a new session; this one is kept",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { run, confirm, signal }) {
    const isSure = /(?:^|\s)(?:now|--yes|-y)$/u.test(args);
    const title = args.replace(/(?:^|\s)(?:now|--yes|-y)$/u, "").trim();
    const { id, isEmpty, isBusy } = await run("session.status", {});
    const question = isBusy ? "Stop the turn and leave this session?" : "Leave this session?";
    if (!isSure && !isEmpty && confirm && !(await confirm(question, signal))) return { text: "The session continues." };
    return {
      text: isEmpty ? "" : `Session ${id} is kept: hermes -r ${id}`,
      effect: { kind: "new", ...(title !== "" && { title }) },
    };
  },
});
