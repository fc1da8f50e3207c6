import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import type { SkillFault } from "../contracts/knowledge/skill.ts";
import type { ShelvedSkill } from "./shelf.ts";

/** The skill that a name means: its name, or where several have it, its place (`development/notes`, `project:notes`). */
export function findSkill(asked: string, skills: readonly ShelvedSkill[]): Result<ShelvedSkill, SkillFault> {
  const wanted = asked.trim();
  const placed = skills.filter((each) => qualifiedName(each) === wanted);
  const named = placed.length > 0 ? placed : skills.filter(({ name }) => name === wanted);
  const matches = named.length > 0 ? named : skills.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const [first, second] = matches;
  if (first && !second) return ok(first);
  if (second) {
    const names = matches.map(qualifiedName);
    return err({
      kind: "several",
      message: `${JSON.stringify(wanted)} could be ${names.join(" or ")}. Name one of these.`,
    });
  }
  const near = nearest(
    wanted,
    skills.map(({ name }) => name),
  );
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "skills_list shows what there is.";
  return err({ kind: "unknown", message: `There is no skill ${JSON.stringify(wanted)}. ${hint}` });
}

/** Unique where names are not. */
function qualifiedName({ place }: Pick<ShelvedSkill, "place">): string {
  return place.root.kind === "home" && place.path.includes("/") ? place.path : `${place.root.kind}:${place.path}`;
}

/** With names that several have as `qualifiedName` says. */
export function withDistinctNames(skills: readonly ShelvedSkill[]): readonly ShelvedSkill[] {
  const counts = Map.groupBy(skills, ({ name }) => name);
  return skills.map((each) =>
    (counts.get(each.name)?.length ?? 0) > 1 ? { ...each, name: qualifiedName(each) } : each,
  );
}
