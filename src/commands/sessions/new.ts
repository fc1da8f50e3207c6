import type { SlashCommand } from "../slash-command.ts";

export const newCommand: SlashCommand = {
  name: "new",
  aliases: ["reset"],
  args: "[title] [now]",
  summary: "Start a new session; this one is kept",
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
};
