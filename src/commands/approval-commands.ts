import { oneLine } from "../base/text/text.ts";
import type { SlashCommand } from "./slash-command.ts";

export const approvalCommands: readonly SlashCommand[] = [
  {
    name: "approve",
    args: "[session | always] [id]",
    maxWords: 2,
    summary: "Approve the pending call",
    async run(args, { run, answersAs }) {
      const words = args.split(/\s+/u).filter((word) => word !== "");
      const scopes = ["once", "session", "always"] as const;
      const scope = scopes.find((each) => words.includes(each)) ?? "once";
      const id = words.find((word) => !scopes.some((each) => each === word));
      const { text } = await run("session.answer", { scope, id, by: answersAs });
      return { text: `Allowed (${scope}): ${oneLine(text, 200)}` };
    },
  },
  {
    name: "deny",
    args: "[reason]",
    summary: "Deny the pending call; the model gets your reason",
    async run(args, { run, answersAs }) {
      const reason = args === "" ? undefined : args;
      const { text } = await run("session.answer", { scope: "deny", reason, by: answersAs });
      const passed = reason === undefined ? "" : "\nYour reason was passed to the model.";
      return { text: `Denied: ${oneLine(text, 200)}${passed}` };
    },
  },
  {
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
  },
];
