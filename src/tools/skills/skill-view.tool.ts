import { z } from "zod";

import type { SkillPage } from "../../contracts/knowledge/skill.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import { skillFailure } from "./skill-failure.ts";

export default defineTool({
  name: "skill_view",
  toolset: "skills",
  emoji: "📖",
  description: "Read a skill or one of its files. Follow it where it fits the task.",
  input: z.object({
    name: z.string().min(1).max(300).describe("As in the list of skills"),
    file_path: z.string().min(1).max(300).optional().describe("A file of the skill, such as references/x.md"),
  }),
  needs: ["skills"],
  traits: { readOnly: true, parallel: true, callers: "both", timeoutMs: Infinity },
  async run({ name, file_path }, { skills, signal }) {
    const page = await skills.view(name, file_path, signal);
    if (!page.ok) return skillFailure(page.error);
    return text(pageText(page.value), pageData(page.value));
  },
});

function pageText(page: SkillPage): string {
  const { card, file, content, folder, linkedFiles, relatedSkills, note } = page;
  if (file !== undefined) return `# ${card.name}: ${file}\n\n${content}`;
  const lines = [
    `# Skill ${card.name}: ${card.description}`,
    `Folder: ${folder}`,
    ...(linkedFiles.length > 0 ? [`Files (read with file_path): ${linkedFiles.join(", ")}`] : []),
    ...(relatedSkills.length > 0 ? [`Related: ${relatedSkills.join(", ")}`] : []),
    ...(note === undefined ? [] : [`Not ready: ${note}`]),
  ];
  return `${lines.join("\n")}\n\n${content}`;
}

function pageData({ card, file, folder, linkedFiles, relatedSkills, readiness, missing, note, content }: SkillPage) {
  return {
    success: true,
    name: card.name,
    description: card.description,
    origin: card.origin,
    tags: card.tags,
    ...(file !== undefined && { file }),
    content,
    path: folder,
    linked_files: linkedFiles,
    related_skills: relatedSkills,
    readiness_status: readiness,
    setup_needed: readiness === "setup_needed",
    missing,
    ...(note !== undefined && { setup_note: note }),
  };
}
