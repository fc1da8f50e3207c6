import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const reloadCommand: SlashCommand = {
  name: "reload",
  summary: "Read the .env of the home folder again: new keys work from the next request on",
  where: "terminal",
  async run(_args, { run }) {
    const { file, added, changed, removed, warnings } = await run("config.reloadEnv", {});
    const parts = [
      ...(added.length > 0 ? [`added ${added.join(", ")}`] : []),
      ...(changed.length > 0 ? [`changed ${changed.join(", ")}`] : []),
      ...(removed.length > 0 ? [`removed ${removed.join(", ")}`] : []),
    ];
    const count = added.length + changed.length + removed.length;
    const text = count === 0 ? `${file} has no changes.` : `${plural(count, "variable")}: ${parts.join("; ")}.`;
    return { text: [text, ...warnings.map((warning) => `⚠ ${warning}`)].join("\n") };
  },
};
