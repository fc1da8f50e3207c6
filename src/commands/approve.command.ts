import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "approve",
  args: "[session | always] [id]",
  summary: "Say yes to what waits for approval",
  where: "everywhere",
  whileBusy: "now",
  async run(args, { host }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const scope = words.find((word) => word === "session" || word === "always") ?? "once";
    const id = words.find((word) => !["once", "session", "always"].includes(word));
    const answered = await host.approvals.answer({ scope }, id);
    return answered.ok
      ? { text: `Allowed (${scope}): ${answered.value}` }
      : { text: answered.error.message, failed: true };
  },
});
