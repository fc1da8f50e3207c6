import { plural } from "../../base/text/text.ts";
import type { SlashCommand } from "../slash-command.ts";

export const reloadSkillsCommand: SlashCommand = {
  name: "reload-skills",
  aliases: ["reload_skills"],
  summary: "Read the skills and bundles again, after files were changed",
  whileBusy: "refuse",
  async run(_args, { run }) {
    const { added, removed, count } = await run("skills.reload", {});
    const parts = [
      ...(added.length > 0 ? [`new: ${added.join(", ")}`] : []),
      ...(removed.length > 0 ? [`gone: ${removed.join(", ")}`] : []),
    ];
    const change = parts.length === 0 ? "no new or removed names" : parts.join("; ");
    return { text: `${plural(count, "skill")}; ${change}. The list in the prompt changes with the next session.` };
  },
};
