import type { SlashCommand } from "../slash-command.ts";

export const yoloCommand: SlashCommand = {
  name: "yolo",
  summary: "Turn approvals off for this session, or on again",
  async run(_args, { run }) {
    const { approvalMode } = await run("session.status", {});
    const { mode } = await run("session.setApprovalMode", { mode: approvalMode === "yolo" ? "manual" : "yolo" });
    return {
      text:
        mode === "yolo"
          ? "⚠ Approvals are off. Hard blocks and deny rules still apply. /yolo turns them on again."
          : "Approvals are on. Dangerous calls ask first.",
    };
  },
};
