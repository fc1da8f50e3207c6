import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "quit",
  aliases: ["exit"],
  summary: "Leave; the session is kept",
  where: "terminal",
  whileBusy: "interrupt",
  run: async () => ({ text: "", effect: { kind: "quit" } }),
});
