import { rows } from "../reply-text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const profileCommand: SlashCommand = {
  name: "profile",
  summary: "Show the profile of this chat, its home folder, and the other profiles",
  async run(_args, { run }) {
    const { home, profile } = await run("config.path", {});
    const { profiles } = await run("profile.list", {});
    const others = profiles.filter(({ name }) => name !== profile).map(({ name }) => name);
    return {
      text: rows([
        ["profile", profile],
        ["home", home],
        ["others", others.length === 0 ? "none: hermes profile create NAME" : `${others.join(", ")}: hermes -p NAME`],
      ]),
    };
  },
};
