import type { CallId } from "../../../../base/ids.ts";
import { textWidth } from "../../../../base/text/text-width.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { agentFigures, drawAgents } from "../../../../commands/agents/agent-tree.ts";
import type { AgentStatus } from "../../../../contracts/session/agents.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import type { Paint } from "../../paint.ts";

/** The screen that agents are drawn on. */
export interface AgentScreen {
  readonly paint: Paint;
  readonly columns: number;
  readonly now: number;
  /** Translates a word or a figure. Default: English. */
  readonly say?: (text: string) => string;
}

/** The descendants of a call as a tree below the line of the call. */
export function callAgents(
  agents: readonly AgentStatus[],
  callId: CallId,
  { paint, columns, now, say = english }: AgentScreen,
  maxLines?: number,
): readonly string[] {
  const started = familyOf(agents, callId).map(printable);
  const look = { columns: columns - indentColumns, now, paint, say, ...(maxLines !== undefined && { maxLines }) };
  return drawAgents(started, look).map((line) => `${paint.dim("┊")}   ${line}`);
}

const indentColumns = 5;

function english(text: string): string {
  return text;
}

/** One line about a child that starts or has ended, for terminals that cannot redraw. */
export function agentLine(agent: AgentStatus, { paint, columns, now, say = english }: AgentScreen): string {
  const { goal, agent: name, state, depth, doing: _ } = printable(agent);
  const isOver = state !== "running" && state !== "waiting";
  const mark = state === "completed" ? paint.good("✓") : isOver ? paint.bad("✗") : paint.accent("▸");
  const end = isOver
    ? ` ${state === "completed" ? "" : `${say(state)}, `}${agentFigures(agent, now, Infinity, say)}`
    : "";
  const indent = "  ".repeat(Math.max(0, depth - 1));
  const who = name === undefined ? say("agent") : `${say("agent")} ${name}`;
  const room = Math.max(20, columns - textWidth(`┊ ${indent}  ${who}: ${end}`) - 2);
  return `${paint.dim("┊")} ${indent}${mark} ${paint.bold(who)}: ${oneLine(goal, room)}${paint.dim(end)}`;
}

function familyOf(agents: readonly AgentStatus[], callId: CallId): readonly AgentStatus[] {
  const family = new Set(agents.filter((agent) => agent.callId === callId && agent.depth === 1));
  // Adds all descendants in one pass, because the list has parents before their children.
  for (const agent of agents) {
    if ([...family].some(({ agentId }) => agentId === agent.parentAgentId)) family.add(agent);
  }
  return [...family];
}

/** Goals and calls come from a model, so they are untrusted. */
function printable(agent: AgentStatus): AgentStatus {
  const { goal, doing } = agent;
  return {
    ...agent,
    goal: escapeInvisible(oneLine(goal, 300)),
    ...(doing !== undefined && { doing: escapeInvisible(oneLine(doing, 200)) }),
  };
}
