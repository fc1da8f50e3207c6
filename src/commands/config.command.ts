import { rows } from "./reply-text.ts";
import { defineCommand } from "./slash-command.ts";

export default defineCommand({
  name: "config",
  args: "[key]",
  summary: "Show the settings that are not the defaults, or those whose key has this in it",
  where: "terminal",
  whileBusy: "now",
  async run(args, { host }) {
    const settings = host.settings();
    const shown =
      args === ""
        ? settings.filter(({ from }) => from !== "default")
        : settings.filter(({ key }) => key.includes(args));
    if (shown.length === 0)
      return { text: args === "" ? "Everything is as it comes." : `No setting has "${args}" in it.` };
    const list = shown.slice(0, most).map(({ key, value, from }) => [key, `${value}  (${from})`] as const);
    const more = shown.length > most ? `\n  and ${shown.length - most} more: hermes config show` : "";
    return { text: `${rows(list)}${more}` };
  },
});

const most = 40;
