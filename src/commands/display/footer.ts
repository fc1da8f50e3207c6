import { displaySwitch } from "./change-display.ts";

export const footerCommand = displaySwitch({
  name: "footer",
  summary: "Show or hide model, context, cost and duration after each turn",
  key: "footer",
  on: "Model, context, cost and duration are shown after each turn.",
  off: "The footer after turns is hidden.",
});
