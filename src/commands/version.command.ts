import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "version",
  aliases: ["v"],
  summary: "Show the version",
  where: "everywhere",
  whileBusy: "now",
  run: async (_args, { host }) => ({ text: `hermes ${host.version}` }),
});
