import { plural } from "../../base/text/text.ts";
import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const providerCommand: SlashCommand = {
  name: "provider",
  summary: "Show the provider in use, and the other usable ones",
  async run(_args, { run }) {
    const { provider, offline } = (await run("session.status", {})).model;
    const { providers } = await run("model.list", { all: true });
    const lines = providers
      .filter(({ usable }) => usable)
      .map(
        ({ id, title, keys }) => [id, keys.length === 0 ? title : `${title}, ${plural(keys.length, "key")}`] as const,
      );
    const about = offline ? `${provider}: built-in rules, not an AI` : provider;
    const list = lines.length === 0 ? "" : `\n${rows(lines)}`;
    return { text: `${about}${list}\nConnect one: hermes auth add PROVIDER, then /model PROVIDER/MODEL` };
  },
};
