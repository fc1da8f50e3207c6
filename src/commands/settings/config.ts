import { oneLine } from "../../base/text/text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const configCommand: SlashCommand = {
  name: "config",
  args: "[key]",
  maxWords: 1,
  summary: "Show changed settings, or the settings whose key contains a word",
  where: "terminal",
  async run(args, ctx) {
    const { settings } = await ctx.run("config.show", { changed: args === "" });
    const shown = settings.filter(({ key }) => key.includes(args));
    if (shown.length === 0)
      return { text: args === "" ? "All settings have their default values." : `No setting contains "${args}".` };
    const list = shown.slice(0, maxShown).map(({ key, value, origin }) => {
      const text = oneLine(typeof value === "string" ? value : JSON.stringify(value), 120);
      return [key, `${text}  (${origin.from === "environment" ? origin.name : origin.from})`] as const;
    });
    const more = shown.length > maxShown ? `\n  and ${shown.length - maxShown} more: hermes config show` : "";
    return { text: `${rows(list)}${more}` };
  },
};

const maxShown = 40;
