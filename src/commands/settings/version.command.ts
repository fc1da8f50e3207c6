import { version } from "../../base/version.ts";
import { defineCommand } from "../slash-command.ts";

export default defineCommand({
  name: "version",
  aliases: ["v"],
  summary: "Show the version",
  where: "everywhere",
  whileBusy: "now",
  run: async () => ({ text: `hermes ${version}` }),
});
