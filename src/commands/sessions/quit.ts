import { sureWords } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const quitCommand: SlashCommand = {
  name: "quit",
  aliases: ["exit"],
  args: "[--delete]",
  maxWords: 2,
  summary: "Exit; the session is kept unless you pass --delete",
  where: "terminal",
  whileBusy: "interrupt",
  choices: () => [{ value: "--delete", summary: "delete this session" }],
  async run(args, { confirm, signal }) {
    const words = args.split(/\s+/u).filter((word) => word !== "");
    const unknown = words.find((word) => word !== "--delete" && !sureWords.includes(word));
    if (unknown !== undefined) return { text: `/quit does not know "${unknown}".`, failed: true };
    if (!words.includes("--delete")) return { text: "", effect: { kind: "quit" } };
    const isSure = words.some((word) => sureWords.includes(word));
    const question = "Leave and delete this session? It can be restored for a day.";
    if (!isSure && confirm && !(await confirm(question, signal))) return { text: "The session continues." };
    return { text: "", effect: { kind: "quit", deletes: true } };
  },
};
