import type { SkillPage } from "../contracts/knowledge/skill.ts";
import type { ContentPart } from "../contracts/model/message.ts";
import type { Entry } from "../contracts/session/session.ts";
import { textOf } from "../contracts/session/turn-companion.ts";

/** A skill in the prompt of a user who invokes it. */
export function skillBlock({ card, folder, content, linkedFiles, note }: SkillPage): string {
  const lines = [
    `<skill name="${card.name}" folder="${folder}">`,
    ...(note === undefined ? [] : [`Not ready: ${note}`]),
    ...(linkedFiles.length === 0 ? [] : [`Files: ${linkedFiles.join(", ")}`]),
  ];
  return `${lines.join("\n")}\n\n${content}\n</skill>`;
}

/** Skills by name. */
export function skillsInPrompt(content: readonly ContentPart[]): readonly string[] {
  return Array.from(textOf(content).matchAll(/^<skill name="([^"\n]+)" folder="/gmu), ([, name = ""]) => name);
}

/** Names of the skills that the model read or the person used. */
export function usedSkills(entries: readonly Entry[]): readonly string[] {
  const read = new Set(
    entries.flatMap((entry) =>
      entry.type === "settled" && entry.tool === "skill_view" && entry.result.ok ? entry.callId : [],
    ),
  );
  const names = entries.flatMap((entry) => {
    if (entry.type === "message" && entry.message.role === "user") return skillsInPrompt(entry.message.content);
    if (entry.type !== "planned" || !read.has(entry.call.callId)) return [];
    const { name, file_path } = entry.call.args;
    return typeof name === "string" && file_path === undefined ? [name] : [];
  });
  return Array.from(new Set(names));
}
