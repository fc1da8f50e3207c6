import { z } from "zod";

import { plural } from "../../base/text/text.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";

export default defineTool({
  name: "skills_list",
  toolset: "skills",
  emoji: "📚",
  description: "List all skills. skill_view reads one.",
  input: z.object({ category: z.string().max(200).optional().describe("Only skills of this category") }),
  needs: ["skills"],
  traits: { readOnly: true, parallel: true, callers: "both" },
  async run({ category }, { skills, signal }) {
    const { skills: match, hidden, categories } = await skills.list(category === undefined ? {} : { category }, signal);
    const lines = match.map(({ name, description, category: of }) => `${name}${of ? ` [${of}]` : ""}: ${description}`);
    const left =
      hidden.length === 0 || category !== undefined
        ? []
        : [`Not offered here: ${hidden.map(({ name, why }) => `${name} (${why})`).join("; ")}`];
    const none =
      category === undefined
        ? "There are no skills."
        : `No skill has the category ${category}. There are: ${categories.join(", ") || "none"}.`;
    const body =
      lines.length === 0 ? none : `${plural(match.length, "skill")}. Read one: skill_view(name).\n${lines.join("\n")}`;
    return text([body, ...left].join("\n"), {
      success: true,
      skills: match.map(({ name, description, category: of, origin }) => ({
        name,
        description,
        origin,
        ...(of !== undefined && { category: of }),
      })),
      categories,
      count: match.length,
      hidden: hidden.map(({ name, why }) => ({ name, why })),
    });
  },
});
