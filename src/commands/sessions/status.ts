import { rows, dollars, tokenCount } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const statusCommand: SlashCommand = {
  name: "status",
  summary: "Show this session: id, model, context, approvals, queue",
  async run(_args, { run }) {
    const status = await run("session.status", {});
    const { id, title, heldBy, model, context, messages, calls, costUsd, approvalMode, isBusy, queued, cwd } = status;
    const pending = status.pending.map((each) => each.id).join(", ");
    return {
      text: rows([
        ["session", `${id}${title === undefined ? "" : ` "${title}"`}`],
        ...(heldBy === undefined ? [] : [["held by", `${heldBy}; read-only here`] as const]),
        ["model", `${model.provider}/${model.model}`],
        ["context", `${tokenCount(context.tokens)} of ${tokenCount(context.window)} tokens`],
        ["messages", String(messages)],
        ["cost", calls === 0 ? "nothing yet" : dollars(costUsd)],
        ["approvals", approvalMode],
        ...status.weakSettings.map((each) => ["⚠", each] as const),
        ["turn", isBusy ? "running" : "none"],
        ["queue", String(queued)],
        ["processes", status.processes === 0 ? "none" : `${status.processes} running: /ps`],
        ["waiting for approval", pending === "" ? "nothing" : pending],
        ...(cwd === undefined ? [] : [["folder", cwd] as const]),
      ]),
    };
  },
};
