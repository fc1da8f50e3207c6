import type { DisplayState } from "../../contracts/host/command.ts";
import type { SlashCommand } from "../slash-command.ts";
import { changeDisplay, displayWish, oneOfWords } from "./change-display.ts";

const looks: readonly DisplayState["indicator"][] = ["kaomoji", "emoji", "unicode", "ascii"];

export const indicatorCommand: SlashCommand = {
  name: "indicator",
  args: "[kaomoji|emoji|unicode|ascii] [--global]",
  maxWords: 2,
  summary: "Show or change the sign that moves while the model works",
  choices: oneOfWords(looks),
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    if (word === "") return { text: `${ctx.display.indicator}; others: ${looks.join(", ")}` };
    const look = looks.find((each) => each === word);
    if (!look) return { text: `"${word}" is not one of ${looks.join(", ")}.`, failed: true };
    return changeDisplay("indicator", look, { text: `The indicator is ${look}.`, isGlobal }, ctx);
  },
};
