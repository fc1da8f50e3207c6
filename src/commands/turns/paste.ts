import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const pasteCommand: SlashCommand = {
  name: "paste",
  summary: "Attach the image in the clipboard to your next prompt, or put its text into the input line",
  where: "terminal",
  async run(_args, { run }) {
    const read = await run("clipboard.read", { kind: "any" });
    if ("image" in read) {
      const { content, label } = read.image;
      return { text: `Attached to your next prompt: ${label}`, effect: { kind: "attach", content: [content] } };
    }
    const lines = read.text.split("\n").length;
    return { text: `${plural(lines, "line")} from the clipboard.`, effect: { kind: "draft", text: read.text } };
  },
};
