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
  args: "[manual|smart|off]",
  maxWords: 1,
  summary: "Show or change who approves calls in this session",
  choices: () => modes.map((value) => ({ value, summary: texts[value] })),
  async run(args, { run }) {
    if (args === "") {
      const { approvalMode } = await run("session.status", {});
      const current = modes.find((mode) => mode === (approvalMode === "yolo" ? "off" : approvalMode));
      return { text: current ? `${current}: ${texts[current]}` : `${approvalMode}: only reading is allowed.` };
    }
    const mode = modes.find((each) => each === args);
    if (!mode) return { text: `"${args}" is not one of ${modes.join(", ")}.`, failed: true };
    await run("session.setApprovalMode", { mode: mode === "off" ? "yolo" : mode });
    return { text: `${texts[mode]} In this session only; the default: hermes config set approvals.mode ${mode}` };
  },
};
