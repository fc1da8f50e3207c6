import { dollars, rows, tokenCount } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "status",
  summary: "Show this session: id, model, context, approvals, what waits",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { host, session }) {
    const [record, usage, pending] = await Promise.all([session.record(), session.usage(), host.approvals.pending()]);
    const { tokens, window } = session.context();
    const { provider, model } = session.model();
    return {
      text: rows([
        ["session", `${session.id}${record.title === undefined ? "" : ` "${record.title}"`}`],
        ...(session.heldBy === undefined ? [] : [["held by", `${session.heldBy}; read-only here`] as const]),
        ["model", `${provider}/${model}`],
        ["context", `${tokenCount(tokens)} of ${tokenCount(window)} tokens`],
        ["messages", String(record.messages)],
        ["cost", usage.sessionCalls === 0 ? "nothing yet" : dollars(usage.session.costUsd)],
        ["approvals", host.approvals.mode()],
        ["turn", session.turn ? "running" : "none"],
        ["queue", String(session.queued.length)],
        ["waiting for approval", pending.length === 0 ? "nothing" : pending.map(({ id }) => id).join(", ")],
        ...(record.cwd === undefined ? [] : [["folder", record.cwd] as const]),
      ]),
    };
  },
});
