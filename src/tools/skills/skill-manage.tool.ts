import { z } from "zod";

import { cut } from "../../base/text/text.ts";
import type { SkillChange, SkillLibrary } from "../../contracts/knowledge/skill.ts";
import { defineTool } from "../../contracts/tool/define-tool.ts";
import { fail, text, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { changePreview } from "../files/change-preview.ts";
import { replaceText } from "../files/edit/replace-text.ts";
import { skillFailure } from "./skill-failure.ts";

const input = z.object({
  action: z.enum(["create", "edit", "patch", "delete", "write_file", "remove_file"]),
  name: z.string().min(1).max(300).describe("Lowercase letters, digits and -"),
  content: z.string().optional().describe("create, edit: the whole SKILL.md with frontmatter (name, description)"),
  category: z.string().optional().describe("create: one word"),
  old_string: z.string().optional().describe("patch: the text to replace"),
  new_string: z.string().optional().describe("patch: the replacement"),
  replace_all: z.boolean().optional(),
  file_path: z
    .string()
    .optional()
    .describe("Below references/, templates/, scripts/ or assets/; default for patch: SKILL.md"),
  file_content: z.string().optional().describe("write_file: the whole text"),
  absorbed_into: z.string().optional().describe("delete: the skill that now has its content"),
});

type Args = z.output<typeof input>;

export default defineTool({
  name: "skill_manage",
  toolset: "skills",
  emoji: "🛠️",
  description:
    "Create or improve a skill. Use it after work that took many steps or a correction by the user: when to use it, the exact commands, the pitfalls. Every change is recorded and can be undone. Changes to the user's own skills need approval.",
  input,
  needs: ["skills"],
  effects: () => [{ kind: "state", store: "skill" }],
  async preview(args, { skills, signal }) {
    const change = await changeOf(args, skills, signal);
    if ("ok" in change) return undefined;
    const file = "file" in change ? change.file : "SKILL.md";
    const source = change.action === "create" ? undefined : await skills.source(change.name, file, signal);
    const before = source?.ok ? source.value.text : undefined;
    return "content" in change ? changePreview(`${change.name}/${file}`, before, change.content) : undefined;
  },
  async run(args, { skills, signal }) {
    const change = await changeOf(args, skills, signal);
    if ("ok" in change) return change;
    const created = await skills.change(change, signal);
    if (!created.ok) {
      // Waiting for approval is not a failure, because the work can continue.
      return created.error.kind === "staged"
        ? text(created.error.message, { success: true, staged: true })
        : skillFailure(created.error);
    }
    const { skill, folder, entry, diff } = created.value;
    const head =
      change.action === "delete" ? `Deleted ${skill}.` : `${doneWords[change.action]} ${skill} in ${folder}.`;
    return text(`${head}${diff === "" || change.action === "create" ? "" : `\n${cut(diff, 4_000)}`}`, {
      success: true,
      action: args.action,
      name: skill,
      path: folder,
      history_entry: entry,
      diff: cut(diff, 20_000),
    });
  },
});

const doneWords = { create: "Created", edit: "Changed", write_file: "Changed", remove_file: "Changed" } as const;

async function changeOf(
  args: Args,
  skills: SkillLibrary,
  signal: AbortSignal,
): Promise<SkillChange | Extract<ToolResult, { readonly ok: false }>> {
  const { action, name, content, category, file_path: file, file_content: fileContent } = args;
  const wanting = (what: string) => fail(`skill_manage: ${action} needs ${what}.`, "invalid_args");
  switch (action) {
    case "create":
      if (content === undefined) return wanting("content");
      return { action, name, content, ...(category !== undefined && category !== "" && { category }) };
    case "edit":
      return content === undefined ? wanting("content") : { action, name, content };
    case "delete":
      return { action, name, ...(args.absorbed_into !== undefined && { absorbedInto: args.absorbed_into }) };
    case "write_file":
      if (file === undefined || fileContent === undefined) return wanting("file_path and file_content");
      return { action, name, file, content: fileContent };
    case "remove_file":
      return file === undefined ? wanting("file_path") : { action, name, file };
    case "patch":
      return patched(args, skills, signal);
  }
}

async function patched(
  { name, file_path: file, old_string: old, new_string: replacement, replace_all: replaceAll = false }: Args,
  skills: SkillLibrary,
  signal: AbortSignal,
): Promise<SkillChange | Extract<ToolResult, { readonly ok: false }>> {
  if (old === undefined || replacement === undefined)
    return fail("skill_manage: patch needs old_string and new_string.", "invalid_args");
  const source = await skills.source(name, file, signal);
  if (!source.ok) return skillFailure(source.error);
  const { text: basis } = source.value;
  const edited = replaceText(basis, { old, new: replacement, replaceAll });
  if (edited.outcome === "not_found") return fail(edited.reason, "invalid_args");
  if (edited.outcome === "ambiguous") {
    const lines = edited.places.map(({ line }) => line).join(", ");
    return fail(
      `old_string occurs ${edited.count} times (lines ${lines}). Include more surrounding text, or set replace_all.`,
      "invalid_args",
    );
  }
  const content = edited.result;
  return file === undefined || file === "SKILL.md"
    ? { action: "edit", name, content, basis }
    : { action: "write_file", name, file, content, basis };
}
