import { basename, join } from "node:path";

import { err, ok, type Result } from "../base/result.ts";
import type { SkillAuthor, SkillChange, SkillFault } from "../contracts/knowledge/skill.ts";
import { type FileStates, isInnerPath, readCurrentStates } from "./file-states.ts";
import { findSkill } from "./find-skill.ts";
import { categoryFault, skillFile, skillLimits, skillNameFault, skillTextFault } from "./frontmatter.ts";
import type { SkillCollection, CollectedSkill } from "./skill-collection.ts";

/** The file changes that a change would make. */
export interface SkillChangePlan {
  readonly skill: string;
  /** Undefined for a new skill. */
  readonly of?: CollectedSkill;
  readonly folder: string;
  readonly files: FileStates;
}

/** The folders of a skill for files other than its SKILL.md. */
const skillFolders: readonly string[] = ["references", "templates", "scripts", "assets"];

/** Plans a change without writing, or explains why it is impossible. */
export async function planChange(
  change: SkillChange,
  context: {
    readonly home: string;
    readonly shelf: SkillCollection;
    readonly by: SkillAuthor;
    readonly isPinned: (name: string) => boolean;
  },
): Promise<Result<SkillChangePlan, SkillFault>> {
  if (change.action === "create") return planNew(change, context);
  const match = findSkill(change.name, context.shelf.skills);
  if (!match.ok) return match;
  const skill = match.value;
  if (skill.place.root.kind !== "home")
    return refused(`${skill.name} is in ${skill.folder}, outside the home. Change its files with the file tools.`);
  const plan = (files: FileStates) => ok({ skill: basename(skill.folder), of: skill, folder: skill.folder, files });
  switch (change.action) {
    case "edit": {
      const fault = movedFault(skill, skillFile, change.basis) ?? (await skillTextFault(change.content, skill.name));
      return fault === undefined ? plan({ [skillFile]: { text: change.content } }) : invalid(fault);
    }
    case "delete":
      return planRemoval(change, skill, context, plan);
    case "write_file": {
      const fault =
        fileFault(change.file) ?? contentFault(change.content) ?? movedFault(skill, change.file, change.basis);
      if (fault !== undefined) return invalid(fault);
      const isExecutable = skill.files.includes(change.file)
        ? readCurrentStates(skill.folder, [change.file])[change.file]?.isExecutable === true
        : change.content.startsWith("#!");
      return plan({ [change.file]: { text: change.content, ...(isExecutable && { isExecutable }) } });
    }
    case "remove_file": {
      const fault = fileFault(change.file);
      if (fault !== undefined) return invalid(fault);
      if (skill.files.includes(change.file)) return plan({ [change.file]: null });
      return invalid(`${skill.name} has no file ${change.file}. It has ${skill.files.join(", ")}.`);
    }
  }
}

async function planNew(
  { name, category, content }: Extract<SkillChange, { readonly action: "create" }>,
  { home, shelf }: { readonly home: string; readonly shelf: SkillCollection },
): Promise<Result<SkillChangePlan, SkillFault>> {
  const fault =
    skillNameFault(name) ??
    (category === undefined ? undefined : categoryFault(category)) ??
    (await skillTextFault(content, name));
  if (fault !== undefined) return invalid(fault);
  const skill = shelf.skills.find((each) => each.name === name || basename(each.folder) === name);
  if (skill) return invalid(`The skill ${name} already exists in ${skill.folder}. Change it, or choose another name.`);
  const folder = join(home, ...(category === undefined ? [] : [category]), name);
  if (readCurrentStates(folder, [skillFile])[skillFile]) return invalid(`${folder} already exists.`);
  return ok({ skill: name, folder, files: { [skillFile]: { text: content } } });
}

function planRemoval(
  { absorbedInto }: Extract<SkillChange, { readonly action: "delete" }>,
  skill: CollectedSkill,
  {
    shelf,
    by,
    isPinned,
  }: { readonly shelf: SkillCollection; readonly by: SkillAuthor; readonly isPinned: (name: string) => boolean },
  plan: (files: FileStates) => Result<SkillChangePlan, SkillFault>,
): Result<SkillChangePlan, SkillFault> {
  if (by === "background") return refused("A background job cannot delete a skill.");
  if (isPinned(skill.name))
    return refused(`${skill.name} is pinned. \`hermes curator unpin ${skill.name}\` unpins it.`);
  if (absorbedInto !== undefined) {
    const target = findSkill(absorbedInto, shelf.skills);
    if (!target.ok) return target;
    if (target.value.folder === skill.folder) return invalid(`${skill.name} cannot be absorbed into itself.`);
  }
  return plan(Object.fromEntries(skill.files.map((path) => [path, null])));
}

/** Only text files in one of the four folders are allowed. */
function fileFault(path: string): string | undefined {
  if (path === skillFile) return "Change SKILL.md with edit or patch.";
  const [first = "", ...rest] = path.split("/");
  return isInnerPath(path) && rest.length > 0 && skillFolders.includes(first)
    ? undefined
    : `${JSON.stringify(path)}: files of a skill must be in ${skillFolders.map((each) => `${each}/`).join(", ")}.`;
}

function contentFault(text: string): string | undefined {
  if (!text.isWellFormed()) return "The content is not valid Unicode (half a surrogate pair).";
  return text.length > skillLimits.chars || Buffer.byteLength(text) > skillLimits.fileBytes
    ? `The file has ${text.length} characters; the maximum is ${skillLimits.chars}.`
    : undefined;
}

function movedFault({ folder, name }: CollectedSkill, file: string, basis: string | undefined): string | undefined {
  if (basis === undefined || readCurrentStates(folder, [file])[file]?.text === basis) return undefined;
  return `${file} of ${name} was changed meanwhile. Read it again with skill_view.`;
}

function invalid(message: string): Result<never, SkillFault> {
  return err({ kind: "invalid", message });
}

function refused(message: string): Result<never, SkillFault> {
  return err({ kind: "refused", message });
}
