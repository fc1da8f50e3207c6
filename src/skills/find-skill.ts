import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text/nearest.ts";
import type { SkillFault } from "../contracts/knowledge/skill.ts";
import type { CollectedSkill } from "./skill-collection.ts";

/** Finds a skill by its name, or by its location if several share the name (`development/notes`, `project:notes`). */
export function findSkill(request: string, skills: readonly CollectedSkill[]): Result<CollectedSkill, SkillFault> {
  const requested = request.trim();
  const placed = skills.filter((each) => qualifiedName(each) === requested);
  const named = placed.length > 0 ? placed : skills.filter(({ name }) => name === requested);
  const matches =
    named.length > 0 ? named : skills.filter(({ name }) => name.toLowerCase() === requested.toLowerCase());
  const [first, second] = matches;
  if (first && !second) return ok(first);
  if (second) {
    const names = matches.map(qualifiedName);
    return err({
      kind: "several",
      message: `${JSON.stringify(requested)} could be ${names.join(" or ")}. Name one of these.`,
    });
  }
  const near = nearest(
    requested,
    skills.map(({ name }) => name),
  );
  const hint = near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : "";
  return err({ kind: "no_skill", message: `There is no skill ${JSON.stringify(requested)}.${hint}` });
}

/** Makes a name unique. */
function qualifiedName({ place }: Pick<CollectedSkill, "place">): string {
  return place.root.kind === "home" && place.path.includes("/") ? place.path : `${place.root.kind}:${place.path}`;
}

/** The skills, with qualified names where several share a name. */
export function withDistinctNames(skills: readonly CollectedSkill[]): readonly CollectedSkill[] {
  const counts = Map.groupBy(skills, ({ name }) => name);
  return skills.map((each) =>
    (counts.get(each.name)?.length ?? 0) > 1 ? { ...each, name: qualifiedName(each) } : each,
  );
}
