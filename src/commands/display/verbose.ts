import type { DisplayState } from "../../contracts/host/command.ts";
import type { SlashCommand } from "../slash-command.ts";
import { changeDisplay, displayWish, oneOfWords } from "./change-display.ts";

type Progress = DisplayState["tool_progress"];

const levels: readonly Progress[] = ["off", "new", "all", "verbose"];

const texts: Readonly<Record<Progress, string>> = {
  off: "Tool calls are hidden.",
  new: "A tool call is shown only when its tool differs from that of the previous call.",
  all: "Every tool call is shown, with the end of its output.",
  verbose: "Every tool call is shown with all arguments and its whole output.",
};

export const verboseCommand: SlashCommand = {
  name: "verbose",
  args: "[off|new|all|verbose] [--global]",
  maxWords: 2,
  summary: "Change how much of tool calls is shown; without an argument, the next level",
  choices: oneOfWords(levels.map((value) => ({ value, summary: texts[value] }))),
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    const following = levels[(levels.indexOf(ctx.display.tool_progress) + 1) % levels.length];
    const level = word === "" ? following : levels.find((each) => each === word);
    if (level === undefined) return { text: `"${word}" is not one of ${levels.join(", ")}.`, failed: true };
    return changeDisplay("tool_progress", level, { text: `${level}: ${texts[level]}`, isGlobal }, ctx);
  },
};
