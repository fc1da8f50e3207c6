import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

const texts = {
  manual: "You approve or deny dangerous calls.",
  smart: "A model approves harmless calls; you decide about the others.",
  off: "⚠ Approvals are off. Hard blocks and deny rules still apply.",
} as const;

type Mode = keyof typeof texts;

const modes = Object.keys(texts) as readonly Mode[];

export const approvalsCommand: SlashCommand = {
  name: "approvals",
  args: "[manual|smart|off|revoke]",
  maxWords: 1,
  summary: "Show or change who approves calls in this session, and what is allowed for all of it",
  choices: () => [
    ...modes.map((value) => ({ value, summary: texts[value] })),
    { value: "revoke", summary: "End the approvals that you gave for this session" },
  ],
  async run(args, { run }) {
    if (args === "") {
      const { approvalMode, grants } = await run("session.status", {});
      const current = modes.find((mode) => mode === (approvalMode === "yolo" ? "off" : approvalMode));
      const allowed = grants.length > 0 ? ["Allowed for this session (/approvals revoke ends it):"] : [];
      return {
        text: [
          current ? `${current}: ${texts[current]}` : `${approvalMode}: only reading is allowed.`,
          ...allowed,
          ...grants.map((rule) => `  ${rule}`),
        ].join("\n"),
      };
    }
    if (args === "revoke") {
      const { revoked } = await run("session.revokeGrants", {});
      return { text: `Revoked ${plural(revoked.length, "approval")} of this session.` };
    }
    const mode = modes.find((each) => each === args);
    if (!mode) return { text: `"${args}" is not one of ${modes.join(", ")}, revoke.`, failed: true };
    await run("session.setApprovalMode", { mode: mode === "off" ? "yolo" : mode });
    return { text: `${texts[mode]} In this session only; the default: hermes config set approvals.mode ${mode}` };
  },
};
