import { displayWish, oneOfWords } from "../display/change-display.ts";
import { saveDefault } from "../save-default.ts";
import type { SlashCommand } from "../slash-command.ts";

const texts = {
  normal: "Requests are processed at normal speed and price.",
  fast: "Requests ask for fast processing at a higher price. OpenAI offers it; other providers ignore the setting.",
} as const;

export const fastCommand: SlashCommand = {
  name: "fast",
  args: "[normal|fast|status] [--global]",
  maxWords: 2,
  summary: "Turn fast processing at a higher price on or off",
  choices: oneOfWords([{ value: "normal", summary: texts.normal }, { value: "fast", summary: texts.fast }, "status"]),
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    const { isFast } = await ctx.run("session.tuning", {});
    if (word === "status") return { text: isFast ? texts.fast : texts.normal };
    if (word !== "" && word !== "normal" && word !== "fast")
      return { text: `"${word}" is not one of normal, fast, status.`, failed: true };
    const next = word === "" ? !isFast : word === "fast";
    await ctx.run("session.tune", { isFast: next });
    const text = next ? texts.fast : texts.normal;
    return isGlobal ? saveDefault("agent.service_tier", next ? "fast" : "normal", text, ctx) : { text };
  },
};
