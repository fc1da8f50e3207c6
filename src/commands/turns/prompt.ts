import type { SlashCommand } from "../slash-command.ts";

export const promptCommand: SlashCommand = {
  name: "prompt",
  aliases: ["compose"],
  args: "[text]",
  summary: "Write your next prompt in your editor ($VISUAL, $EDITOR)",
  where: "terminal",
  async run(args, { hasPanels, fillIn, signal }) {
    if (hasPanels) return { text: "", effect: { kind: "open", panel: "prompt", ...(args !== "" && { about: args }) } };
    if (!fillIn)
      return { text: "Nobody can write a prompt here: /prompt needs an interactive terminal.", failed: true };
    const fields = [{ kind: "text" as const, name: "prompt", isRequired: true, ...(args !== "" && { default: args }) }];
    const filled = await fillIn({ from: "/prompt", text: "Your prompt:", fields }, signal);
    const text = filled.ok ? filled.value["prompt"] : undefined;
    if (typeof text !== "string" || text.trim() === "") return { text: "Nothing was sent." };
    return { text: "", effect: { kind: "prompt", content: [{ type: "text", text }] } };
  },
};
