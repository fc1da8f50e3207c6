import type { DisplayState } from "../../contracts/host/command.ts";
import type { SlashCommand } from "../slash-command.ts";
import { changeDisplay, displayWish, oneOfWords } from "./change-display.ts";

type BusyMode = DisplayState["busy_input_mode"];

const texts: Readonly<Record<BusyMode, string>> = {
  queue: "Enter sends your prompt after the running turn.",
  steer: "Enter adds your text to the running turn, after the current tool call.",
  interrupt: "Enter stops the running turn and sends your prompt.",
};
const modes: readonly BusyMode[] = ["queue", "steer", "interrupt"];

export const busyCommand: SlashCommand = {
  name: "busy",
  args: "[queue|steer|interrupt|status] [--global]",
  maxWords: 2,
  summary: "Choose what Enter does while a turn runs",
  choices: oneOfWords([...modes.map((value) => ({ value, summary: texts[value] })), "status"]),
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    const current = ctx.display.busy_input_mode;
    if (word === "" || word === "status") return { text: `${current}: ${texts[current]}` };
    const mode = modes.find((each) => each === word);
    if (!mode) return { text: `"${word}" is not one of ${modes.join(", ")}, status.`, failed: true };
    return changeDisplay("busy_input_mode", mode, { text: texts[mode], isGlobal }, ctx);
  },
};
