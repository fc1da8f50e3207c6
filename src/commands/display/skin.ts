import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";
import { changeDisplay, displayWish, globalChoice } from "./change-display.ts";

export const skinCommand: SlashCommand = {
  name: "skin",
  args: "[name] [--global]",
  maxWords: 2,
  summary: "List the skins, or use one in this chat",
  where: "terminal",
  async choices(before, ctx) {
    if (before.length > 0) return [globalChoice];
    const { skins } = await ctx.run("skins.list", {});
    return skins.map(({ name, description }) => ({ value: name, summary: description }));
  },
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    if (word === "") {
      const { skins } = await ctx.run("skins.list", {});
      const lines = skins.map(
        ({ name, description }) => [name, `${description}${name === ctx.display.skin ? " ← here" : ""}`] as const,
      );
      return { text: `${rows(lines)}\nTo use one: /skin NAME. Your own: skins/NAME.yaml in the home folder` };
    }
    const { skin, problems } = await ctx.run("skins.show", { name: word });
    const text = [`Now using the skin ${skin.name}.`, ...problems.map((problem) => `⚠ ${problem}`)].join("\n");
    return changeDisplay("skin", skin.name, { text, isGlobal }, ctx);
  },
};
