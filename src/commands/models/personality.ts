import { oneLine } from "../../base/text/text.ts";
import { displayWish, globalChoice } from "../display/change-display.ts";
import { rows } from "../reply-text.ts";
import { saveDefault } from "../save-default.ts";
import type { SlashCommand } from "../slash-command.ts";

export const personalityCommand: SlashCommand = {
  name: "personality",
  args: "[name|none] [--global]",
  maxWords: 2,
  summary: "List the personalities, or use one from the next prompt on",
  async choices(before, { run }) {
    if (before.length > 0) return [globalChoice];
    const { personalities } = await run("session.personalities", {});
    const names = personalities.map(({ name, text }) => ({ value: name, summary: oneLine(text, 60) }));
    return [...names, { value: "none", summary: "the default style" }];
  },
  async run(args, ctx) {
    const { word, isGlobal } = displayWish(args);
    if (word === "") {
      const [{ personalities }, { personality }] = await Promise.all([
        ctx.run("session.personalities", {}),
        ctx.run("session.tuning", {}),
      ]);
      const lines = personalities.map(
        ({ name, text }) => [name, `${oneLine(text, 62)}${name === personality ? " ← here" : ""}`] as const,
      );
      return { text: `${rows(lines)}\nTo use one: /personality NAME. Back to the default style: /personality none` };
    }
    const { name } = await ctx.run("session.usePersonality", { name: word });
    const text =
      name === "none"
        ? "The model answers in its default style, from your next prompt on."
        : `The model answers as ${name}, from your next prompt on. The system prompt stays the same, so its cache stays valid.`;
    return isGlobal ? saveDefault("display.personality", name, text, ctx) : { text };
  },
};
