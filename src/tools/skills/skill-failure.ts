import type { SkillFault } from "../../contracts/knowledge/skill.ts";
import { fail } from "../../contracts/tool/tool-result.ts";

/** Converts a fault to the failure that the model reads. */
export function skillFailure({ kind, message }: SkillFault): ReturnType<typeof fail> {
  const how = kind === "refused" || kind === "dangerous" ? "blocked" : kind === "invalid" ? "invalid_args" : "failed";
  const text = kind === "no_skill" ? `${message} skills_list lists all skills.` : message;
  return fail(text, how, { data: { success: false, kind, error: text } });
}
