import { displaySwitch } from "./change-display.ts";

export const timestampsCommand = displaySwitch({
  name: "timestamps",
  aliases: ["ts"],
  summary: "Show or hide the time of each prompt",
  key: "timestamps",
  on: "Prompts show their time.",
  off: "Prompts show no time.",
});
