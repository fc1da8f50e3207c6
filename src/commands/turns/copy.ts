import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const copyCommand: SlashCommand = {
  name: "copy",
  args: "[n]",
  maxWords: 1,
  summary: "Copy the last answer to the clipboard; with N, the Nth last answer",
  where: "terminal",
  async run(args, { run }) {
    const back = args === "" ? 1 : Number(args);
    if (!Number.isSafeInteger(back) || back < 1) return { text: `"${args}" is not a number of answers.`, failed: true };
    const { messages } = await run("session.messages", {});
    const answers = messages.filter(({ role, text }) => role === "assistant" && text.trim() !== "");
    const answer = answers.at(-back);
    if (!answer) {
      const size =
        answers.length === 0 ? "There is no answer yet." : `There are only ${plural(answers.length, "answer")}.`;
      return { text: size, failed: true };
    }
    if (answer.text.length > maxChars)
      return {
        text: `The answer is too long for the terminal's clipboard. /save md writes it to a file.`,
        failed: true,
      };
    return {
      text: `Copied ${plural(answer.text.length, "character")}. If your terminal does not allow it, use /save md.`,
      effect: { kind: "copy", text: answer.text },
    };
  },
};

/** Maximum text length for the clipboard. Terminals ignore longer texts. */
const maxChars = 70_000;
