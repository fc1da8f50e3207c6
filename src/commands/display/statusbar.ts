import { displaySwitch } from "./change-display.ts";

export const statusbarCommand = displaySwitch({
  name: "statusbar",
  aliases: ["sb"],
  summary: "Show or hide the status line",
  key: "status_line",
  on: "The status line is shown.",
  off: "The status line is hidden.",
});
