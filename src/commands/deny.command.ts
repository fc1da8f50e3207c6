import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "deny",
  args: "[reason]",
  summary: "Say no to what waits for approval; the model reads the reason",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host }) {
    const answered = await host.approvals.answer({ scope: "deny", ...(args !== "" && { reason: args }) });
    return answered.ok ? { text: `Denied: ${answered.value}` } : { text: answered.error.message, failed: true };
  },
});
