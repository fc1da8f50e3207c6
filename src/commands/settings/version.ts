import { version } from "../../base/version.ts";
import type { SlashCommand } from "../slash-command.ts";

export const versionCommand: SlashCommand = {
  name: "version",
  aliases: ["v"],
  summary: "Show the version",
  run: async () => ({ text: `hermes ${version}` }),
};
