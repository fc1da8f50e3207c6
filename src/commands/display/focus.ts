import type { SlashCommand } from "../slash-command.ts";

export const focusCommand: SlashCommand = {
  name: "focus",
  args: "[on|off]",
  maxWords: 1,
  summary: "Show only prompts and answers in this chat, or everything again",
  choices: () => ["on", "off"],
  async run(args, { display }) {
    if (args !== "" && args !== "on" && args !== "off")
      return { text: `"${args}" is not one of on, off.`, failed: true };
    const focus = args === "" ? !display.focus : args === "on";
    return {
      text: focus ? "Only prompts and answers are shown. /focus shows everything again." : "Everything is shown again.",
      effect: { kind: "display", change: { focus } },
    };
  },
};
