import { oneLine } from "../base/text/text.ts";
import type { SkillCard } from "../contracts/knowledge/skill.ts";

export interface IndexOptions {
  /** The maximum length of the section; 0 for no section. */
  readonly maxChars: number;
  /** Scores by name; higher is better. */
  readonly scores: ReadonlyMap<string, number>;
  /** Whether the skill tools are deferred. */
  readonly isDeferred: boolean;
}

/**
 * The skill section of the system prompt, never longer than the budget: all names, with a short description for as
 * many as fit, in order of their scores. Omitted skills are counted.
 */
export function skillIndex(skills: readonly SkillCard[], { maxChars, scores, isDeferred }: IndexOptions): string {
  if (skills.length === 0 || maxChars === 0) return "";
  const ranked = rankedSkills(skills, scores);
  const head = `Skills: if one fits the task, read it first (${isDeferred ? "tool_call skill_view" : "skill_view"}):`;
  const more = (left: number) => (left === 0 ? "" : `\n(${left} more: skills_list)`);
  const budget = maxChars - head.length - more(skills.length).length - 1;
  const named = fitting(ranked, (each) => each.name.length + 2, budget);
  if (named.length === 0) return "";
  const described = new Set<SkillCard>();
  let left = budget - named.reduce((sum, { name }) => sum + name.length + 2, 0);
  for (const each of named) {
    const cost = shortText(each).length + 3;
    if (cost > left) continue;
    described.add(each);
    left -= cost;
  }
  const lines = named.filter((each) => described.has(each)).map((each) => `\n- ${each.name}: ${shortText(each)}`);
  const bare = named.filter((each) => !described.has(each)).map(({ name }) => name);
  return `${head}${lines.join("")}${bare.length === 0 ? "" : `\n- ${bare.join(", ")}`}${more(skills.length - named.length)}`;
}

/** Sorts by score, then by closeness to the user's own work, then by name. */
function rankedSkills<S extends SkillCard>(skills: readonly S[], scores: ReadonlyMap<string, number>): readonly S[] {
  const scoreOf = ({ name }: S) => scores.get(name) ?? 0;
  const nearness = ({ origin }: S) => order.indexOf(origin);
  return skills.toSorted(
    (a, b) => scoreOf(b) - scoreOf(a) || nearness(a) - nearness(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  );
}

const order: readonly SkillCard["origin"][] = ["project", "user", "agent", "hub", "external", "bundled"];

function shortText({ description }: SkillCard): string {
  return oneLine(description, 60);
}

function fitting<T>(items: readonly T[], cost: (item: T) => number, budget: number): readonly T[] {
  let left = budget;
  const end = items.findIndex((item) => (left -= cost(item)) < 0);
  return end < 0 ? items : items.slice(0, end);
}
