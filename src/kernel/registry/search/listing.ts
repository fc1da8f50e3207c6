import { byName, byText } from "../../../base/text/order.ts";
import { firstSentence, plural } from "../../../base/text/text.ts";
import type { LateTools } from "../../../contracts/tool/registry.ts";
import type { ToolCard } from "../../../contracts/tool/tool-index.ts";

/**
 * Lists the deferred tools for the model within a budget, grouped by source. It uses the first form that fits: names
 * with a sentence; names; names with only a count for the largest groups; groups only; nothing. Equal tools produce an
 * identical text. `late`: tools that are not loaded, which are only counted.
 */
export function listDeferred(cards: readonly ToolCard[], maxTokens: number, late: readonly LateTools[] = []): string {
  const unnamed = late.map(({ server: name, count }) => ({ name, tools: [], count }));
  const groups = [...groupsOf(cards), ...unnamed].toSorted(byName);
  const maxChars = maxTokens * charsPerToken - heading.length;
  const listing = groups.length === 0 ? "" : withinBudget(groups, maxChars);
  return listing === "" ? "" : `${heading}${listing}`;
}

/** The sources of deferred tools with their number of tools, sorted by name. */
export function sourcesOf(cards: readonly ToolCard[]): readonly { readonly name: string; readonly tools: number }[] {
  return groupsOf(cards).map(({ name, count }) => ({ name, tools: count }));
}

interface Group {
  readonly name: string;
  /** The names of the tools. Empty if only their number is known. */
  readonly tools: readonly ToolCard[];
  readonly count: number;
}

const charsPerToken = 4;
const heading = "Deferred tools:\n";

function withinBudget(groups: readonly Group[], maxChars: number): string {
  const [single, headed] = [groups.filter(isOwnName), groups.filter((group) => !isOwnName(group))];
  const heads = headed.flatMap((group) =>
    group.tools.length === 0 ? [counted(group)] : [`${group.name}:`, ...group.tools.map(lineOf)],
  );
  const whole = [...single.flatMap(({ tools }) => tools.map(lineOf)), ...heads].join("\n");
  if (whole.length <= maxChars) return whole;
  return namesWithin(groups, maxChars) ?? countsWithin(groups, maxChars) ?? "";
}

function groupsOf(cards: readonly ToolCard[]): readonly Group[] {
  return Array.from(
    Map.groupBy(cards, ({ sourceName }) => sourceName),
    ([name, tools]) => ({
      name,
      tools: tools.toSorted(byName),
      count: tools.length,
    }),
  ).toSorted(byName);
}

/** A source with the same name as its only tool needs no heading. */
function isOwnName({ name, tools }: Group): boolean {
  return tools.length === 1 && tools[0]?.name === name;
}

function lineOf(tool: ToolCard): string {
  const summary = firstSentence(tool.description, 60);
  return summary === "" ? `- ${tool.name}` : `- ${tool.name}: ${summary}`;
}

/** Lists all names, or as many groups as fit if the largest groups are dropped first. */
function namesWithin(groups: readonly Group[], maxChars: number): string | undefined {
  const lines = new Map(
    groups.map((group) => [
      group,
      group.tools.length === 0 ? counted(group) : `${group.name}: ${joinedNames(group.tools.map(({ name }) => name))}`,
    ]),
  );
  let length = groups.length - 1;
  for (const line of lines.values()) length += line.length;
  const largestFirst = groups.toSorted((a, b) => b.count - a.count || byText(a.name, b.name));
  for (const group of largestFirst) {
    if (length <= maxChars) return groups.map((each) => lines.get(each)).join("\n");
    const short = counted(group);
    length += short.length - (lines.get(group)?.length ?? 0);
    lines.set(group, short);
  }
  return undefined;
}

/** Groups names that have the same first word: `browser_{back,click,type}`. */
function joinedNames(names: readonly string[]): string {
  const families = Map.groupBy(names, (name) => name.slice(0, name.indexOf("_") + 1));
  return Array.from(families, ([prefix, family]) => {
    const rests = family.map((name) => name.slice(prefix.length));
    return prefix !== "" && family.length >= minFamily ? `${prefix}{${rests.join(",")}}` : family.join(", ");
  }).join(", ");
}

const minFamily = 3;

function countsWithin(groups: readonly Group[], maxChars: number): string | undefined {
  const text = groups.map(counted).join(", ");
  return text.length <= maxChars ? text : undefined;
}

function counted(group: Group): string {
  return `${group.name} (${plural(group.count, "tool")})`;
}
