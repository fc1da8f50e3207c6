import { effortNamed, reasoningEfforts } from "../../contracts/model/model.ts";
import { changeDisplay, displayWish, globalChoice } from "../display/change-display.ts";
import { saveDefault } from "../save-default.ts";
import type { SlashCommand } from "../slash-command.ts";

export const reasoningCommand: SlashCommand = {
  name: "reasoning",
  args: "[auto|none|minimal|low|medium|high|xhigh|show|hide] [--global]",
  maxWords: 2,
  summary: "Show or change how much the model thinks, or show or hide its thoughts",
  choices: (before) =>
    before.length > 0
      ? [globalChoice]
      : [
          { value: "auto", summary: "the provider decides" },
          { value: "none", summary: "no reasoning" },
          ...reasoningEfforts.filter((effort) => effort !== "off"),
          { value: "show", summary: "show the thoughts of the model" },
          { value: "hide", summary: "hide them" },
        ],
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    if (word === "") {
      const { reasoning } = await ctx.run("session.tuning", {});
      const shown = ctx.display.show_reasoning ? "shown" : "hidden";
      return { text: `Effort: ${reasoning === "off" ? "none" : reasoning}. Thoughts are ${shown}.` };
    }
    if (word === "show" || word === "hide") {
      const text = word === "show" ? "Thoughts of the model are shown." : "Thoughts of the model are hidden.";
      return changeDisplay("show_reasoning", word === "show", { text, isGlobal }, ctx);
    }
    const effort = word === "auto" ? word : effortNamed(word);
    if (effort === undefined)
      return {
        text: `"${word}" is not one of auto, none, ${reasoningEfforts.slice(1).join(", ")}, show, hide.`,
        failed: true,
      };
    await ctx.run("session.tune", { reasoning: effort });
    const text = `Reasoning effort: ${effort === "off" ? "none" : effort}, from the next request on.`;
    return isGlobal ? saveDefault("agent.reasoning_effort", effort, text, ctx) : { text };
  },
};
