import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "yolo",
  summary: "Stop asking before dangerous calls in this conversation, or ask again",
  where: "everywhere",
  whileBusy: "now",
  async run(_args, { host }) {
    const isOn = host.approvals.mode() === "yolo";
    host.approvals.setMode(isOn ? "manual" : "yolo");
    return {
      text: isOn
        ? "You are asked again before dangerous calls."
        : "⚠ Nothing is asked any more; hardline and deny rules hold. /yolo asks again.",
    };
  },
});
