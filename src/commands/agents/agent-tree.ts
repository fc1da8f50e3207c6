import type { AgentId } from "../../base/ids.ts";
import { textWidth } from "../../base/text/text-width.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import { durationText } from "../../base/text/time-text.ts";
import type { AgentStatus } from "../../contracts/session/agents.ts";
import { dollars, tokenCount } from "../reply-text.ts";

export interface AgentTreeLook {
  /** Maximum width of a line. */
  readonly columns: number;
  readonly now: number;
  /** Colours. Default: none. */
  readonly paint?: AgentPaint;
  /** Translates a word or a figure. Default: English. */
  readonly say?: (text: string) => string;
  /** Text before the state mark of an agent, such as its number in a list. */
  readonly label?: (agent: AgentStatus) => string;
  /** Maximum number of lines; nodes that have ended are left out first. Default: all. */
  readonly maxLines?: number;
}

export type AgentPaint = Readonly<Record<"dim" | "good" | "bad" | "bold", (text: string) => string>>;

const noPaint: AgentPaint = { dim: same, good: same, bad: same, bold: same };

function same(text: string): string {
  return text;
}

/**
 * Draws child agents as a tree: one line per agent with its figures (two lines on a narrow terminal), and below a
 * running agent its current call. Goals and calls are untrusted text, which the caller must escape.
 */
export function drawAgents(agents: readonly AgentStatus[], look: AgentTreeLook): readonly string[] {
  const ids = new Set(agents.map(({ agentId }) => agentId));
  const shown = withinLimit(agents, look);
  const children = Map.groupBy(shown, ({ parentAgentId }) =>
    parentAgentId !== undefined && ids.has(parentAgentId) ? parentAgentId : undefined,
  );
  const lines: string[] = [];
  const draw = (parent: AgentId | undefined, prefix: string) => {
    const own = children.get(parent) ?? [];
    for (const [index, agent] of own.entries()) {
      const isLast = index === own.length - 1;
      const below = `${prefix}${isLast ? "  " : "│ "}`;
      const hasChildren = children.has(agent.agentId);
      lines.push(...nodeLines(agent, `${prefix}${isLast ? "└ " : "├ "}`, `${below}${hasChildren ? "│ " : "  "}`, look));
      draw(agent.agentId, below);
    }
  };
  draw(undefined, "");
  const left = agents.length - shown.length;
  return left > 0 ? [...lines, (look.paint ?? noPaint).dim(`  ${(look.say ?? same)(`… ${left} more`)}`)] : lines;
}

/** `42 s · 12 calls · 30k tokens · $0.0123 · 15 % context`, with fewer words if the width is small. */
export function agentFigures(agent: AgentStatus, now: number, maxColumns = Infinity, say = same): string {
  const { toolCalls, tokens, costUsd, context, startedAt, endedAt } = agent;
  if (agent.state === "waiting") return say("waiting");
  const used = context && context.window > 0 ? `${Math.round((100 * context.tokens) / context.window)} %` : undefined;
  const text = (tokensWord: string, contextWord: string) =>
    [
      durationText((endedAt ?? now) - startedAt),
      plural(toolCalls, "call"),
      `${tokenCount(tokens)}${tokensWord}`,
      ...(costUsd === undefined ? [] : [dollars(costUsd)]),
      ...(used === undefined ? [] : [`${used}${contextWord}`]),
    ]
      .map(say)
      .join(" · ");
  const shorter = [text(" tokens", " context"), text(" tokens", ""), text("", "")];
  const fitting = shorter.find((each) => textWidth(each) <= maxColumns);
  return fitting ?? shorter.at(-1) ?? "";
}

/** Below this width the figures are on a separate line. */
const narrowColumns = 64;
const minGoalColumns = 34;

function nodeLines(agent: AgentStatus, head: string, below: string, look: AgentTreeLook): readonly string[] {
  const { columns, now, label, say = same } = look;
  const paint = look.paint ?? noPaint;
  const who = agent.agent ?? say("agent");
  const number = label?.(agent) ?? "";
  const before = `${head}${number}${marks[agent.state]} ${who} `;
  const figures = fitted(
    agentFigures(agent, now, columns - (columns < narrowColumns ? textWidth(below) : minGoalColumns), say),
    columns - textWidth(below),
  );
  const isNarrow = columns < narrowColumns;
  const room = columns - textWidth(before) - (isNarrow ? 0 : textWidth(figures) + 2);
  const goal = fitted(agent.goal, Math.max(8, room));
  const mark =
    agent.state === "completed"
      ? paint.good(marks.completed)
      : isFault(agent)
        ? paint.bad(marks.failed)
        : marks[agent.state];
  const name = `${paint.dim(head)}${number}${mark} ${paint.bold(who)} ${goal}`;
  const doing = agent.state === "running" ? (agent.doing ?? "") : "";
  return [
    isNarrow ? name : `${name}  ${paint.dim(figures)}`,
    ...(isNarrow ? [paint.dim(`${below}${figures}`)] : []),
    ...(doing === "" ? [] : [paint.dim(`${below}${fitted(doing, columns - textWidth(below))}`)]),
  ];
}

const marks: Readonly<Record<AgentStatus["state"], string>> = {
  waiting: "○",
  running: "●",
  completed: "✓",
  failed: "✗",
  timeout: "✗",
  interrupted: "✗",
  lost: "✗",
};

function isFault({ state }: AgentStatus): boolean {
  return state !== "waiting" && state !== "running" && state !== "completed";
}

/** Drops the oldest ended agents first and keeps agents with visible children. */
function withinLimit(
  agents: readonly AgentStatus[],
  { maxLines = Infinity, columns }: AgentTreeLook,
): readonly AgentStatus[] {
  const linesOf = ({ state, doing }: AgentStatus) =>
    (columns < narrowColumns ? 2 : 1) + (state === "running" && doing !== undefined ? 1 : 0);
  const kept = new Set(agents);
  let lines = agents.reduce((sum, agent) => sum + linesOf(agent), 0);
  const byWorth = agents.toSorted((a, b) => worth(a) - worth(b));
  for (const agent of byWorth) {
    if (lines <= maxLines) break;
    if ([...kept].some(({ parentAgentId }) => parentAgentId === agent.agentId)) continue;
    kept.delete(agent);
    lines -= linesOf(agent);
  }
  return agents.filter((agent) => kept.has(agent));
}

function worth({ state }: AgentStatus): number {
  return state === "running" ? 2 : state === "waiting" ? 1 : 0;
}

function fitted(text: string, columns: number): string {
  const line = oneLine(text, 500);
  if (textWidth(line) <= columns) return line;
  let shown = "";
  let left = columns - 1;
  for (const character of line) {
    left -= textWidth(character);
    if (left < 0) break;
    shown += character;
  }
  return `${shown.trimEnd()}…`;
}
